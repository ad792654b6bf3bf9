import type { Account } from "@carillon/model";
import { errors, type LongEntry, type ShortEntries, type StorageBatch } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

import { lockStorage, storeUsedSize } from "./usage.ts";

/**
 * Of a name that is there twice the last one counts. Parts of what was a long entry until now go. What is there is looked
 * up key by key: a plan that joins reads all that the bot has stored, for each batch of a large request anew.
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
  row: { more: column.bigint },
});

const removeEntry = statement({
  name: "bot-storage-remove",
  text: `WITH gone AS (
      DELETE FROM bot_storage_parts WHERE bot_id = $1 AND key_digest = $2 RETURNING size
    )
    SELECT -coalesce(sum(size), 0)::bigint AS more FROM gone`,
  row: { more: column.bigint },
});

const addPart = statement({
  name: "bot-storage-add-part",
  text: `INSERT INTO bot_storage_parts (bot_id, key_digest, part, name, value, size)
    VALUES ($1, $2, $3, $4::text, $5::text, length($4::text) + length($5::text)) RETURNING size AS more`,
  row: { more: column.int },
});

/**
 * Stores what a request has given, over what is there (bot-storage-alert-words-navigation.md §1). A statement for a
 * batch, and for a part of a long entry: as many as there are hundreds of thousands of characters or thousands of entries.
 * @param limit characters that the bot may store
 * @throws ApiError `BAD_REQUEST` where that would be more than the limit
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
