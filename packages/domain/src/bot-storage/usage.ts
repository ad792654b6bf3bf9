import type { Account } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";

const insertUsage = statement({
  name: "bot-storage-usage-insert",
  text: "INSERT INTO bot_storage_usage (bot_id) VALUES ($1) ON CONFLICT (bot_id) DO NOTHING",
  row: {},
});

const lockUsage = statement({
  name: "bot-storage-usage-lock",
  text: "SELECT size FROM bot_storage_usage WHERE bot_id = $1 FOR NO KEY UPDATE",
  row: { size: column.bigint },
});

const storeUsage = statement({
  name: "bot-storage-usage-store",
  text: "UPDATE bot_storage_usage SET size = $2 WHERE bot_id = $1",
  row: {},
});

/** Keeps others from changing the bot's storage until the transaction ends; how many characters are stored. */
export async function lockStorage(tx: Tx, bot: Account): Promise<number> {
  // The row is there from the first time on, so that there is one to lock.
  const [, [usage]] = await Promise.all([
    tx.rows(insertUsage, [bot.id]),
    tx.lock({ name: "botStorage", keys: [bot.id] }, lockUsage, [bot.id]),
  ]);
  if (!usage) throw new Error(`the bot ${bot.id} has no row for its storage`);
  return usage.size;
}

/** Notes how many characters are stored by now; the storage is locked. */
export async function storeUsedSize(tx: Tx, bot: Account, size: number): Promise<void> {
  await tx.rows(storeUsage, [bot.id, size]);
}
