import { type Account, loadAdministeredBots, personUpdated } from "@carillon/model";
import type { NewEvent } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

import { botWithNewOwner } from "../users/bot-with-new-owner.ts";
import { botsSeenEvents } from "../users/bots-seen.ts";

const storeOwner = statement({
  name: "bot-owner-store",
  text: "UPDATE users SET bot_owner_id = $2 WHERE id = $1",
  row: {},
});

const activeOwner = statement({
  name: "active-owner-of-bot",
  text: "SELECT id, role FROM users WHERE id = $1 AND is_active",
  row: { id: column.int, role: column.int },
});

/**
 * Gives the bot to another person. The group graph must be locked, the bot and its new owner too.
 * @param bot as it is by now, with its old owner
 * @returns what to tell: everybody whose it is, and the two owners what they administer no longer and by now
 */
export async function changeBotOwner(tx: Tx, bot: Account, owner: Account): Promise<NewEvent[]> {
  const viewers = [...(await tx.rows(activeOwner, [bot.botOwnerId])), owner];
  const before = await loadAdministeredBots(tx, bot.realmId, viewers);
  await tx.rows(storeOwner, [bot.id, owner.id]);
  const after = await loadAdministeredBots(tx, bot.realmId, viewers);
  return [
    personUpdated(bot.id, { bot_owner_id: owner.id }),
    ...botsSeenEvents(before, after),
    ...(await botWithNewOwner(tx, bot)),
  ];
}
