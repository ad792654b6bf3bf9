import type { Account, Site } from "@carillon/model";
import { statement, type Tx } from "@carillon/db";

import { changeApiKey } from "./change-api-key.ts";

/** Ends the event queues of an account. */
export const dropQueues = statement({
  name: "event-queues-of-account-drop",
  text: "DELETE FROM event_queue WHERE user_id = $1",
  row: {},
});

/**
 * Locks out everybody who knows the key of a bot (users.md §5): the bot gets another key, its event queues are deleted and
 * its open polls end with the commit. For a bot that passes to another owner, or gets more power than those have who could
 * read its key until then.
 * @param actorId for the audit log
 * @param bot in the hands of the transaction
 */
export async function renewBotKey(
  tx: Tx,
  site: Site,
  actorId: number,
  bot: Account,
): Promise<void> {
  await changeApiKey(tx, site, actorId, bot);
  await tx.rows(dropQueues, [bot.id]);
}
