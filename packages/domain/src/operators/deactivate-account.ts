import {
  type Account,
  checkOwnerRemains,
  lockAccount,
  lockGroupGraph,
  noSuchUser,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { deactivateAccount } from "../users/deactivate-account.ts";
import { deactivateWithBots } from "../users/deactivate-with-bots.ts";

/**
 * Deactivates a person with their bots, or a bot, on behalf of an operator, by the steps of `DELETE /users/{user_id}` and
 * `DELETE /bots/{bot_id}`.
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export async function deactivateForOperator(db: Database, account: Account): Promise<void> {
  const { id, realmId, isBot } = account;
  if (isBot) return db.transaction((tx) => deactivateBot(tx, account));
  await deactivateWithBots(db, { id: null, realmId, check: checkMayGo }, id, {});
}

async function checkMayGo(tx: Tx, user: Account): Promise<void> {
  checkActive(user);
  await checkOwnerRemains(tx, user);
}

function checkActive({ isActive, deliveryEmail }: Account): void {
  if (!isActive) throw errors.badRequest(`${deliveryEmail} is deactivated already`);
}

async function deactivateBot(tx: Tx, { id, realmId }: Account): Promise<void> {
  const [, bot] = await Promise.all([lockGroupGraph(tx, realmId), lockAccount(tx, realmId, id)]);
  if (!bot) throw noSuchUser();
  checkActive(bot);
  const { events } = await deactivateAccount(tx, null, bot);
  emit(tx, realmId, events);
}
