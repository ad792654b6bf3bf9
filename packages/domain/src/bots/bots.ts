import { errors, type OwnBot, roles } from "@carillon/contract";
import { type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  accountColumns,
  accountOverrides,
  checkPowerfulBot,
  currentActor,
  hasPowerOfOwners,
  hasPowerOfOwnersSql,
  isOrganizationAdministrator,
  lockAccount,
  lockGroupGraph,
  ownPictureUrl,
  pictureOf,
  type Site,
  loadAfter,
} from "@carillon/model";

import { changeApiKey } from "../users/api-key.ts";
import { deactivateAccount } from "../users/deactivate-account.ts";

const own = statement({
  name: "own-bots",
  text: `SELECT ${accountColumns}, u.api_key_sealed AS "apiKeySealed", s.name AS default_sending_stream,
      e.name AS default_events_register_stream, u.default_all_public_channels AS default_all_public_streams
    FROM users u
      LEFT JOIN channels s ON s.id = u.default_sending_channel_id
      LEFT JOIN channels e ON e.id = u.default_events_register_channel_id
    WHERE u.realm_id = $1 AND u.bot_owner_id = $2 AND u.is_bot AND u.is_active
      AND ($3 = ${roles.owner} OR NOT ${hasPowerOfOwnersSql("u")})
    ORDER BY u.id`,
  overrides: accountOverrides,
});

/**
 * Lists the account's active bots with their keys (users.md §5); bots that only owners administer are listed for owners
 * only.
 */
export async function listOwnBots(sql: Sql, site: Site, owner: Account): Promise<OwnBot[]> {
  const rows = await sql.rows(own, [owner.realmId, owner.id, owner.role]);
  return rows.map((bot) => ({
    username: bot.deliveryEmail,
    full_name: bot.fullName,
    api_key: site.secrets.open(bot.apiKeySealed),
    avatar_url: ownPictureUrl(site.url, pictureOf(bot)),
    default_sending_stream: bot.default_sending_stream,
    default_events_register_stream: bot.default_events_register_stream,
    default_all_public_streams: bot.default_all_public_streams,
  }));
}

const byId = statement({
  name: "bot-with-api-key",
  text: `SELECT ${accountColumns}, u.api_key_sealed AS "apiKeySealed" FROM users u
    WHERE u.realm_id = $1 AND u.id = $2 AND u.system_bot_kind IS NULL`,
  overrides: accountOverrides,
});

/**
 * Returns the key of a bot for its owner and administrators (users.md §5). A deactivated bot's key works again after
 * its reactivation.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function botApiKey(
  sql: Sql,
  site: Site,
  actor: Account,
  botId: number,
): Promise<string> {
  const [row] = await sql.rows(byId, [actor.realmId, botId]);
  checkAdministersBot(actor, row);
  return site.secrets.open(row.apiKeySealed);
}

/**
 * Changes the key of a bot, for its owner and administrators. The old key is rejected after the commit.
 * @returns the new key
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function changeBotApiKey(
  tx: Tx,
  site: Site,
  actor: Account,
  botId: number,
): Promise<string> {
  const [bot, now] = await Promise.all([
    lockAccount(tx, actor.realmId, botId),
    currentActor(tx, actor),
  ]);
  checkAdministersBot(now, bot);
  return changeApiKey(tx, site, actor.id, bot);
}

/**
 * Deactivates a bot for its owner or an administrator (users.md §5).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function deactivateBot(tx: Tx, actor: Account, botId: number): Promise<void> {
  const { bot, now } = await loadAfter(lockGroupGraph(tx, actor.realmId), {
    bot: lockAccount(tx, actor.realmId, botId),
    now: currentActor(tx, actor),
  });
  checkAdministersBot(now, bot);
  if (!bot.isActive) throw errors.badRequest("The bot is already deactivated");
  const { events } = await deactivateAccount(tx, actor.id, bot);
  emit(tx, actor.realmId, events);
}

/**
 * Checks that this is a bot that the actor may administer: its own; any for administrators (users.md §5).
 * @throws ApiError `BAD_REQUEST`, also if there is no such bot; `UNAUTHORIZED_PRINCIPAL`
 */
export function checkAdministersBot<Bot extends Account>(
  actor: Account,
  bot: Bot | undefined,
): asserts bot is Bot {
  if (!bot?.isBot) throw errors.badRequest("There is no such bot");
  if (bot.botOwnerId !== actor.id && !isOrganizationAdministrator(actor))
    throw errors.badRequest("Only the bot's owner and administrators can do this");
  checkPowerfulBot(actor, bot);
}

const administrators = statement({
  name: "bot-administrators",
  text: `SELECT id FROM users
    WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL AND (role <= ${roles.administrator} OR id = $2)
      AND (role = ${roles.owner} OR NOT $3)
    ORDER BY id`,
});

/**
 * Returns the accounts that may administer the bot: its owner and the administrators; only the owners if the bot has
 * the power of owners.
 */
export async function botAdministrators(
  sql: Sql,
  bot: Pick<Account, "realmId" | "botOwnerId" | "canCreateUsers" | "role">,
): Promise<number[]> {
  const rows = await sql.rows(administrators, [bot.realmId, bot.botOwnerId, hasPowerOfOwners(bot)]);
  return rows.map(({ id }) => id);
}
