import type { Database, Tx } from "@carillon/db";

/** Somebody may be sending a message that will be the channel's first, and nobody can see it yet. */
export class SendersInTheWay extends Error {}

/**
 * Runs a transaction that removes messages. Others send to the channels meanwhile, but where it turns out that a channel
 * may get another first message by those who are sending (channels.md §1): then it begins again, and has the channels
 * alone.
 * @param work gets told whether it is to have the channels alone
 */
export async function removal<T>(
  db: Database,
  work: (tx: Tx, alone: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction((tx) => work(tx, false));
  } catch (error) {
    if (!(error instanceof SendersInTheWay)) throw error;
    return db.transaction((tx) => work(tx, true));
  }
}
