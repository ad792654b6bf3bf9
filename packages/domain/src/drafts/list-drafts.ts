import type { DraftResource } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

/** A stored draft, as Prisma has it. */
export interface DraftRow {
  readonly id: number;
  readonly kind: string;
  readonly to: readonly number[];
  readonly topic: string;
  readonly content: string;
  readonly lastEditTime: Date;
}

const ofAccount = statement({
  name: "drafts",
  text: `SELECT id, kind AS type, "to", topic, content, floor(extract(epoch FROM last_edit_time))::bigint AS timestamp
    FROM drafts WHERE user_id = $1 ORDER BY id`,
  row: {
    id: column.int,
    type: column.text.as<DraftResource["type"]>(),
    to: column.ints.orNull(),
    topic: column.text,
    content: column.text,
    timestamp: column.bigint,
  },
});

/** What the account has begun to write, the first one first. */
export async function listDrafts(sql: Sql, userId: number): Promise<DraftResource[]> {
  const rows = await sql.rows(ofAccount, [userId]);
  return rows.map((row) => ({ ...row, to: row.to ?? [] }));
}

/** A draft as clients get it. */
export function presentDraft(row: DraftRow): DraftResource {
  const { id, kind, to, topic, content, lastEditTime } = row;
  const timestamp = Math.floor(lastEditTime.getTime() / 1_000);
  return { id, type: kind as DraftResource["type"], to: [...to], topic, content, timestamp };
}
