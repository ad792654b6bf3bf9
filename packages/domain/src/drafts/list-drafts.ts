import type { DraftResource } from "@carillon/contract";
import { column, readList, statement, type PagedList, type Sql } from "@carillon/db";

/** A stored draft, as Prisma has it. */
export interface DraftRow {
  readonly id: number;
  readonly kind: string;
  readonly to: readonly number[];
  readonly topic: string;
  readonly content: string;
  readonly lastEditTime: Date;
}

const sizes = statement({
  name: "drafts-sizes",
  text: `SELECT id, octet_length(content) + 200 + 12 * cardinality("to") AS bytes FROM drafts WHERE user_id = $1
    ORDER BY id`,
  row: { id: column.int, bytes: column.int.neverNullHere() },
});

const byIds = statement({
  name: "drafts-by-ids",
  text: `SELECT id, kind AS type, "to", topic, content, floor(extract(epoch FROM last_edit_time))::bigint AS timestamp
    FROM drafts WHERE user_id = $1 AND id = ANY(ARRAY(SELECT unnest($2::int[]))) ORDER BY id`,
  row: {
    id: column.int,
    type: column.text.as<DraftResource["type"]>(),
    to: column.ints.orNull(),
    topic: column.text,
    content: column.text,
    timestamp: column.bigint,
  },
});

/**
 * What the account has begun to write, the first one first: all of it, or page by page where it is large.
 * @param sql a transaction, repeatable read
 */
export async function listDrafts(
  sql: Sql,
  userId: number,
): Promise<DraftResource[] | PagedList<DraftResource>> {
  return readList(sql, await sql.rows(sizes, [userId]), async (one, ids) =>
    (await one.rows(byIds, [userId, ids])).map((row) => ({ ...row, to: row.to ?? [] })),
  );
}

/** A draft as clients get it. */
export function presentDraft(row: DraftRow): DraftResource {
  const { id, kind, to, topic, content, lastEditTime } = row;
  const timestamp = Math.floor(lastEditTime.getTime() / 1_000);
  return { id, type: kind as DraftResource["type"], to: [...to], topic, content, timestamp };
}
