import {
  type Audience,
  botAdded,
  type BotDefaults,
  botDeleted,
  type BotService,
  botUpdated,
  errors,
  type LoggedBot,
  type LoggedService,
  type NewEvent,
  type RealmPermission,
  realmPermissions,
  roles,
} from "@carillon/contract";
import { notNull, type Sql, statement, type Tx, typed } from "@carillon/db";

import { loadMemberships } from "./permissions/memberships.ts";
import { lockOrganization, type Realm } from "./realms.ts";
import type { Secrets } from "./site.ts";
import type { Account } from "./users/account.ts";
import type { Viewer } from "./users/addresses.ts";
import { hasPowerOfOwnersSql } from "./users/administration.ts";
import { findCollision } from "./users/full-name.ts";
import { loadAfter } from "./load-after.ts";

/** SQL: a bot's services as the event log stores them. `sv` is its row of `bot_service`, which may be missing. */
const loggedServices = `CASE WHEN sv.bot_id IS NULL THEN '[]'::json ELSE json_build_array(json_build_object(
      'base_url', sv.url, 'interface', sv.interface, 'token_sealed', encode(sv.token_sealed, 'hex'))) END`;

/** Bots with the power of owners are administered by owners only (users.md §5). */
const administered = statement({
  name: "administered-bots",
  text: `SELECT v.id AS viewer, json_build_object('user_id', b.id, 'services', ${loggedServices},
      'default_sending_stream', s.name, 'default_events_register_stream', e.name,
      'default_all_public_streams', b.default_all_public_channels) AS bot
    FROM unnest($2::int[], $3::int[]) AS v (id, role)
      JOIN users b ON b.realm_id = $1 AND b.is_bot AND b.system_bot_kind IS NULL
        AND (v.role <= ${roles.administrator} OR b.bot_owner_id = v.id) AND (v.role = ${roles.owner} OR NOT ${hasPowerOfOwnersSql("b")})
        AND ($4::int[] IS NULL OR b.id = ANY($4))
      LEFT JOIN channels s ON s.id = b.default_sending_channel_id
      LEFT JOIN channels e ON e.id = b.default_events_register_channel_id
      LEFT JOIN bot_service sv ON sv.bot_id = b.id
    ORDER BY b.id, v.id`,
  overrides: { viewer: notNull, bot: typed<LoggedBot>() },
});

/** A bot and an account that administers it. */
export interface AdministeredBot {
  readonly viewer: number;
  readonly bot: LoggedBot;
}

/**
 * Loads the bots that each viewer may administer, ordered by id: its own; all of them for administrators.
 * @param botIds only these bots; undefined for all of the organization
 */
export function loadAdministeredBots(
  sql: Sql,
  realmId: number,
  viewers: readonly Viewer[],
  botIds?: readonly number[],
): Promise<AdministeredBot[]> {
  return sql.rows(administered, [
    realmId,
    viewers.map(({ id }) => id),
    viewers.map(({ role }) => role),
    botIds ?? null,
  ]);
}

const administratorsOf = statement({
  name: "administrators-of-bots",
  text: `SELECT id, role FROM users
    WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL
      AND (role <= ${roles.administrator} OR id = ANY($2::int[]))
    ORDER BY id`,
});

/**
 * Loads the active accounts that may administer one of the bots, whatever its role: their owners and all
 * administrators.
 */
export async function administratorsOfBots(
  sql: Sql,
  realmId: number,
  bots: readonly { readonly botOwnerId: number | null }[],
): Promise<Viewer[]> {
  if (bots.length === 0) return [];
  return sql.rows(administratorsOf, [realmId, bots.map(({ botOwnerId }) => botOwnerId)]);
}

/** Makes the event for accounts that now administer a bot. */
export function botAddedEvent(
  bot: BotDefaults & { readonly user_id: number; readonly services: LoggedService[] },
  audience: Audience,
): NewEvent {
  const { user_id, services, default_sending_stream, default_events_register_stream } = bot;
  const { default_all_public_streams } = bot;
  return botAdded(
    {
      bot: {
        user_id,
        services,
        default_sending_stream,
        default_events_register_stream,
        default_all_public_streams,
      },
    },
    { audience },
  );
}

/** Returns the services as their bot's administrators see them. */
export function shownServices(
  services: readonly LoggedService[],
  secrets: Pick<Secrets, "open">,
): BotService[] {
  return services.map(({ token_sealed, ...service }) => ({
    ...service,
    token: secrets.open(Buffer.from(token_sealed, "hex")),
  }));
}

/** Makes the event for accounts that no longer administer a bot. */
export function botDeletedEvent(
  { user_id }: { readonly user_id: number },
  audience: Audience,
): NewEvent {
  return botDeleted({ bot: { user_id } }, { audience });
}

/** Makes the event for a bot's administrators when its defaults or its endpoint change. */
export function botUpdatedEvent(
  botId: number,
  changed: Partial<BotDefaults> & { readonly services?: LoggedService[] },
  audience: Audience,
): NewEvent {
  return botUpdated({ bot: { user_id: botId, ...changed } }, { audience });
}

/**
 * Checks that no active account has the name of a bot that becomes active, or one that looks the same (users.md §5).
 * The organization's row is locked, so that no other bot gets the name until the transaction ends.
 * @param exceptId the bot that will have the name
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkBotName(
  tx: Tx,
  realm: Realm,
  name: string,
  exceptId = 0,
): Promise<void> {
  const { collision } = await loadAfter(lockOrganization(tx, realm.id), {
    collision: findCollision(tx, realm.id, name, { exceptId, onlyActive: true }),
  });
  if (collision === "same") throw errors.badRequest("An active user or bot has this name");
  if (collision)
    throw errors.badRequest("An active user or bot has a name that looks like this one");
}

/** Type of a bot that only posts what other services send it. */
const incomingWebhook = 2;

/** Whether the account may create bots of the type (users.md §5). For write-only bots, a second permission suffices. */
export async function canCreateBot(
  tx: Tx,
  realm: Realm,
  account: Account,
  botType: number | null,
): Promise<boolean> {
  const memberships = await loadMemberships(tx, [account.id]);
  const holds = (permission: RealmPermission) =>
    memberships.holds(account, realmPermissions[permission], realm.groups[permission]);
  return (
    holds("canCreateBotsGroup") ||
    (botType === incomingWebhook && holds("canCreateWriteOnlyBotsGroup"))
  );
}
