import { type Account, currentActor, lockGroupGraph, lockAccount } from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { deactivateAccount } from "../users/deactivate-account.ts";
import { checkAdministersBot } from "./administer-bot.ts";

/**
 * Deactivates one bot on behalf of its owner or an administrator (users.md §5).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function deactivateBot(tx: Tx, actor: Account, botId: number): Promise<void> {
  const [, bot, now] = await Promise.all([
    lockGroupGraph(tx, actor.realmId),
    lockAccount(tx, actor.realmId, botId),
    currentActor(tx, actor),
  ]);
  checkAdministersBot(now, bot);
  if (!bot.isActive) throw errors.badRequest("The bot is already deactivated");
  const { events } = await deactivateAccount(tx, actor.id, bot);
  emit(tx, actor.realmId, events);
}
