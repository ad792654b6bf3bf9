import { errors, type LongEntry, type ShortEntries, type StorageBatch } from "@carillon/contract";
import { type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { type Account, loadAfter } from "@carillon/model";

/**
 * Stores short entries and returns by how many characters the storage has grown. If a name is given twice, the last
 * value counts. Deletes the further parts of a long entry that a short one replaces. Looks up existing entries by key,
 * because a plan with a join would read everything that the bot has stored, once for each batch of a request.
 */
export const storeEntries = statement({
  name: "bot-storage-store",
  text: `WITH given AS (
      SELECT DISTINCT ON (digest) digest, name, value, length(name) + length(value) AS size
      FROM (SELECT sha256(convert_to(name, 'UTF8')) AS digest, name, value, place
        FROM ROWS FROM (json_array_elements_text($2::json), json_array_elements_text($3::json))
          WITH ORDINALITY AS pair (name, value, place)) pairs
      ORDER BY digest, place DESC
    ), replaced AS (
      SELECT coalesce(sum(p.size), 0) AS size FROM bot_storage_parts p
      WHERE p.bot_id = $1 AND p.key_digest = ANY(ARRAY(SELECT digest FROM given))
    ), shortened AS (
      DELETE FROM bot_storage_parts p
      WHERE p.bot_id = $1 AND p.key_digest = ANY(ARRAY(SELECT digest FROM given)) AND p.part > 0
    ), written AS (
      INSERT INTO bot_storage_parts (bot_id, key_digest, part, name, value, size)
      SELECT $1, digest, 0, name, value, size FROM given
      ON CONFLICT (bot_id, key_digest, part)
        DO UPDATE SET name = EXCLUDED.name, value = EXCLUDED.value, size = EXCLUDED.size
      RETURNING size
    )
    SELECT (coalesce((SELECT sum(size) FROM written), 0) - (SELECT size FROM replaced))::bigint AS more`,
});

const removeEntry = statement({
  name: "bot-storage-remove",
  text: `WITH gone AS (
      DELETE FROM bot_storage_parts WHERE bot_id = $1 AND key_digest = $2 RETURNING size
    )
    SELECT -coalesce(sum(size), 0)::bigint AS more FROM gone`,
});

const addPart = statement({
  name: "bot-storage-add-part",
  text: `INSERT INTO bot_storage_parts (bot_id, key_digest, part, name, value, size)
    VALUES ($1, $2, $3, $4::text, $5::text, length($4::text) + length($5::text)) RETURNING size AS more`,
});

/**
 * Stores the entries of a request, replacing existing ones (bot-storage-alert-words-navigation.md §1). Runs one
 * statement for each batch of short entries and for each part of a long entry. A batch has about 100,000 characters or
 * 4,000 entries.
 * @param limit characters that the bot may store
 * @throws ApiError `BAD_REQUEST` if the storage would exceed the limit
 */
export async function writeStorage(
  tx: Tx,
  bot: Account,
  batches: readonly StorageBatch[],
  limit: number,
): Promise<void> {
  if (batches.length === 0) return;
  let size = await lockStorage(tx, bot);
  for (const batch of batches)
    size += await ("digest" in batch ? storeLong(tx, bot, batch) : storeShort(tx, bot, batch));
  if (size > limit)
    throw errors.badRequest(
      `The bot's storage would be ${size - limit} characters over its limit of ${limit} characters`,
    );
  await storeUsedSize(tx, bot, size);
}

async function storeShort(tx: Tx, bot: Account, { names, values }: ShortEntries): Promise<number> {
  return (await tx.first(storeEntries, [bot.id, names, values]))?.more ?? 0;
}

async function storeLong(tx: Tx, bot: Account, { digest, parts }: LongEntry): Promise<number> {
  let more = (await tx.first(removeEntry, [bot.id, digest]))?.more ?? 0;
  for (const [number, { name, value }] of parts.entries())
    more += (await tx.first(addPart, [bot.id, digest, number, name, value]))?.more ?? 0;
  return more;
}

const inAll = "p.bot_id = $1";
const digestsOf = (names: string) =>
  `ARRAY(SELECT sha256(convert_to(name, 'UTF8')) FROM unnest(${names}::text[]) AS name)`;

const measureAll = statement({
  name: "bot-storage-measure-all",
  text: `SELECT coalesce((SELECT size FROM bot_storage_usage WHERE bot_id = $1), 0)::bigint AS size`,
});

const measureSome = statement({
  name: "bot-storage-measure-some",
  text: `SELECT count(*) FILTER (WHERE p.part = 0)::int AS entries, coalesce(sum(p.size), 0)::bigint AS size
    FROM bot_storage_parts p WHERE ${inAll} AND p.key_digest = ANY(${digestsOf("$2")})`,
});

/** Maximum rows and characters of a page: the driver holds a whole page in memory. */
const pageRows = 2_000;
const pageSize = 250_000;

/** A part of an entry. Parts are ordered by digest and number, so the parts of an entry are adjacent. */
type StoredPart = RowOf<typeof allParts>;

const pageOf = (condition: string) =>
  `SELECT digest, part, name, value FROM (
      SELECT p.key_digest AS digest, p.part, p.name, p.value,
        sum(p.size) OVER (ORDER BY p.key_digest, p.part) - p.size AS before
      FROM bot_storage_parts p
      WHERE ${condition} AND (p.key_digest, p.part) > ($2::bytea, $3::int)
      ORDER BY p.key_digest, p.part LIMIT ${pageRows}) next
    WHERE before < ${pageSize} ORDER BY digest, part`;

const allParts = statement({ name: "bot-storage-all", text: pageOf(inAll) });

const someParts = statement({
  name: "bot-storage-some",
  text: pageOf(`${inAll} AND p.key_digest = ANY(${digestsOf("$4")})`),
});

/**
 * Returns how many characters the bot has stored under the given keys, or under all keys.
 * @throws ApiError `BAD_REQUEST` if one of the keys is not stored
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
 * Yields the entries that the bot has stored under the given keys, or under all keys, page by page. Ignores keys that
 * are not stored.
 * @param sql a REPEATABLE READ transaction: all parts of an entry must come from one snapshot
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

/** Writes a JSON object of strings incrementally from the parts of its entries. */
export class EntriesText {
  #separator = "{";
  /** The string that the text so far has begun and not ended. */
  #open: "nothing" | "name" | "value" = "nothing";

  /** Returns the JSON text of the next parts. */
  add(parts: readonly StoredPart[]): string {
    const texts: string[] = [];
    for (const { part, name, value } of parts) {
      if (part === 0) {
        texts.push(this.#closed(), this.#separator, '"');
        this.#separator = ",";
        this.#open = "name";
      }
      texts.push(escaped(name));
      if (value !== "" && this.#open === "name") {
        texts.push('":"');
        this.#open = "value";
      }
      texts.push(escaped(value));
    }
    return texts.join("");
  }

  /** Returns the end of the JSON text. */
  end(): string {
    const closed = this.#closed();
    return `${closed}${this.#separator === "{" ? "{" : ""}}`;
  }

  #closed(): string {
    const closed = { nothing: "", name: '":""', value: '"' }[this.#open];
    this.#open = "nothing";
    return closed;
  }
}

/** Escapes a text for JSON, without the quotes. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const deleteAll = statement({
  name: "bot-storage-delete-all",
  text: "DELETE FROM bot_storage_parts WHERE bot_id = $1",
});

const deleteSome = statement({
  name: "bot-storage-delete-some",
  text: `WITH gone AS (
      DELETE FROM bot_storage_parts WHERE bot_id = $1 AND key_digest = ANY(ARRAY(
        SELECT sha256(convert_to(name, 'UTF8')) FROM unnest($2::text[]) AS name))
      RETURNING part, size
    )
    SELECT count(*) FILTER (WHERE part = 0)::int AS entries, coalesce(sum(size), 0)::bigint AS size FROM gone`,
});

/**
 * Deletes all or some of the bot's stored entries (bot-storage-alert-words-navigation.md §1).
 * @param keys undefined to delete everything
 * @throws ApiError `BAD_REQUEST` if one of the keys is not stored
 */
export async function deleteStorage(
  tx: Tx,
  bot: Account,
  keys: readonly string[] | undefined,
): Promise<void> {
  if (keys?.length === 0) return;
  const before = await lockStorage(tx, bot);
  if (!keys) {
    await tx.rows(deleteAll, [bot.id]);
    await storeUsedSize(tx, bot, 0);
    return;
  }
  const wanted = new Set(keys);
  const deleted = await tx.first(deleteSome, [bot.id, [...wanted]]);
  if (!deleted || deleted.entries < wanted.size) throw notStored();
  await storeUsedSize(tx, bot, before - deleted.size);
}

/** The error for a request that names a key that is not stored. */
function notStored() {
  return errors.badRequest("The bot has not stored all of these keys");
}

const insertUsage = statement({
  name: "bot-storage-usage-insert",
  text: "INSERT INTO bot_storage_usage (bot_id) VALUES ($1) ON CONFLICT (bot_id) DO NOTHING",
});

const lockUsage = statement({
  name: "bot-storage-usage-lock",
  text: "SELECT size FROM bot_storage_usage WHERE bot_id = $1 FOR NO KEY UPDATE",
});

/** Locks the bot's storage until the transaction ends, and returns how many characters it holds. */
async function lockStorage(tx: Tx, bot: Account): Promise<number> {
  // The first call inserts the row, so that there is a row to lock.
  const {
    usageRows: [usage],
  } = await loadAfter(tx.rows(insertUsage, [bot.id]), {
    usageRows: tx.lock({ name: "botStorage", keys: [bot.id] }, lockUsage, [bot.id]),
  });
  if (!usage) throw new Error(`the bot ${bot.id} has no row for its storage`);
  return usage.size;
}

/** Stores how many characters the storage holds. The caller holds its lock. */
async function storeUsedSize(tx: Tx, bot: Account, size: number): Promise<void> {
  const prisma = await tx.prisma();
  await prisma.botStorageUsage.update({
    where: { botId: bot.id },
    data: { size },
    select: { botId: true },
  });
}
