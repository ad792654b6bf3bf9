import type { Account } from "@carillon/model";
import { column, statement, type RowOf, type Sql } from "@carillon/db";

import { notStored } from "./delete-storage.ts";

const inAll = "p.bot_id = $1";
const digestsOf = (names: string) =>
  `ARRAY(SELECT sha256(convert_to(name, 'UTF8')) FROM unnest(${names}::text[]) AS name)`;

const measureAll = statement({
  name: "bot-storage-measure-all",
  text: `SELECT coalesce((SELECT size FROM bot_storage_usage WHERE bot_id = $1), 0)::bigint AS size`,
  row: { size: column.bigint },
});

const measureSome = statement({
  name: "bot-storage-measure-some",
  text: `SELECT count(*) FILTER (WHERE p.part = 0)::int AS entries, coalesce(sum(p.size), 0)::bigint AS size
    FROM bot_storage_parts p WHERE ${inAll} AND p.key_digest = ANY(${digestsOf("$2")})`,
  row: { entries: column.int, size: column.bigint },
});

/** Rows and characters of a page: the driver reads it in one go. */
const pageRows = 2_000;
const pageSize = 250_000;

const partRow = {
  digest: column.bytes,
  part: column.int,
  name: column.text,
  value: column.text,
};

/** A part of an entry, in the order of the digests; the parts of one follow each other. */
export type StoredPart = RowOf<typeof partRow>;

const pageOf = (condition: string) =>
  `SELECT digest, part, name, value FROM (
      SELECT p.key_digest AS digest, p.part, p.name, p.value,
        sum(p.size) OVER (ORDER BY p.key_digest, p.part) - p.size AS before
      FROM bot_storage_parts p
      WHERE ${condition} AND (p.key_digest, p.part) > ($2::bytea, $3::int)
      ORDER BY p.key_digest, p.part LIMIT ${pageRows}) next
    WHERE before < ${pageSize} ORDER BY digest, part`;

const allParts = statement({ name: "bot-storage-all", text: pageOf(inAll), row: partRow });

const someParts = statement({
  name: "bot-storage-some",
  text: pageOf(`${inAll} AND p.key_digest = ANY(${digestsOf("$4")})`),
  row: partRow,
});

/**
 * How many characters the bot has stored under some keys, or all.
 * @throws ApiError `BAD_REQUEST` when one of the keys is not stored
 */
export async function measureStorage(
  sql: Sql,
  bot: Account,
  keys: readonly string[] | undefined,
): Promise<number> {
  if (!keys) return (await sql.rows(measureAll, [bot.id]))[0]?.size ?? 0;
  const wanted = new Set(keys);
  const [found] = await sql.rows(measureSome, [bot.id, [...wanted]]);
  if (!found || found.entries < wanted.size) throw notStored();
  return found.size;
}

/**
 * What the bot has stored under some keys, or all, a page at a time; of keys that are not stored nothing.
 * @param sql a transaction, repeatable read: the parts of an entry must be of one moment
 */
export async function* storedParts(
  sql: Sql,
  bot: Account,
  keys: readonly string[] | undefined,
): AsyncGenerator<readonly StoredPart[]> {
  const named = keys && [...new Set(keys)];
  let [digest, part]: [Buffer, number] = [Buffer.alloc(0), -1];
  for (;;) {
    const page: StoredPart[] = named
      ? await sql.rows(someParts, [bot.id, digest, part, named])
      : await sql.rows(allParts, [bot.id, digest, part]);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    [digest, part] = [last.digest, last.part];
  }
}
