import type { Account } from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

import { lockStorage, storeUsedSize } from "./usage.ts";

const deleteAll = statement({
  name: "bot-storage-delete-all",
  text: "DELETE FROM bot_storage_parts WHERE bot_id = $1",
  row: {},
});

const deleteSome = statement({
  name: "bot-storage-delete-some",
  text: `WITH gone AS (
      DELETE FROM bot_storage_parts WHERE bot_id = $1 AND key_digest = ANY(ARRAY(
        SELECT sha256(convert_to(name, 'UTF8')) FROM unnest($2::text[]) AS name))
      RETURNING part, size
    )
    SELECT count(*) FILTER (WHERE part = 0)::int AS entries, coalesce(sum(size), 0)::bigint AS size FROM gone`,
  row: { entries: column.int, size: column.bigint },
});

/**
 * Deletes what the bot has stored, or some of it (bot-storage-alert-words-navigation.md §1).
 * @param keys everything unless given
 * @throws ApiError `BAD_REQUEST` when one of them is not stored
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
  const gone = await tx.first(deleteSome, [bot.id, [...wanted]]);
  if (!gone || gone.entries < wanted.size) throw notStored();
  await storeUsedSize(tx, bot, before - gone.size);
}

/** The refusal of keys of which one is not stored. */
export function notStored() {
  return errors.badRequest("The bot has not stored all of these keys");
}
