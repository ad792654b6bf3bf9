import {
  type Audience,
  botAdded,
  type BotDefaults,
  botDeleted,
  type BotObject,
  botUpdated,
  errors,
  type NewEvent,
  type RealmPermission,
  realmPermissions,
  roles,
} from "@carillon/contract";
import { column, type Sql, statement, type Tx } from "@carillon/db";

import { loadMemberships } from "./permissions/memberships.ts";
import { lockOrganization, type Realm } from "./realms.ts";
import type { Account } from "./users/account.ts";
import type { Viewer } from "./users/addresses.ts";
import { hasPowerOfOwnersSql } from "./users/administration.ts";
import { findCollision } from "./users/full-name.ts";
import { loadAfter } from "./load-after.ts";

/** Owners alone administer a bot with the power of owners (users.md §5). */
const administered = statement({
  name: "administered-bots",
  text: `SELECT v.id AS viewer, json_build_object('user_id', b.id, 'services', '[]'::json,
      'default_sending_stream', s.name, 'default_events_register_stream', e.name,
      'default_all_public_streams', b.default_all_public_channels) AS bot
    FROM unnest($2::int[], $3::int[]) AS v (id, role)
      JOIN users b ON b.realm_id = $1 AND b.is_bot AND b.system_bot_kind IS NULL
        AND (v.role <= ${roles.administrator} OR b.bot_owner_id = v.id) AND (v.role = ${roles.owner} OR NOT ${hasPowerOfOwnersSql("b")})
        AND ($4::int[] IS NULL OR b.id = ANY($4))
      LEFT JOIN channels s ON s.id = b.default_sending_channel_id
      LEFT JOIN channels e ON e.id = b.default_events_register_channel_id
    ORDER BY b.id, v.id`,
  row: { viewer: column.int, bot: column.json<BotObject>() },
});

/** A bot, and one of those who administer it. */
export interface Administered {
  readonly viewer: number;
  readonly bot: BotObject;
}

/**
 * The bots that each viewer may administer: their own, and for administrators all of them; in the order of their ids.
 * @param botIds only these bots; all of the organization unless given
 */
export function loadAdministeredBots(
  sql: Sql,
  realmId: number,
  viewers: readonly Viewer[],
  botIds?: readonly number[],
): Promise<Administered[]> {
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
  row: { id: column.int, role: column.int },
});

/** Active accounts that may administer one of the bots, whatever its role: its owner, and all administrators. */
export async function administratorsOfBots(
  sql: Sql,
  realmId: number,
  bots: readonly { readonly botOwnerId: number | null }[],
): Promise<Viewer[]> {
  if (bots.length === 0) return [];
  return sql.rows(administratorsOf, [realmId, bots.map(({ botOwnerId }) => botOwnerId)]);
}

/** What those are told who administer a bot now. */
export function botAddedEvent(
  bot: BotDefaults & { readonly user_id: number },
  audience: Audience,
): NewEvent {
  const { user_id, default_sending_stream, default_events_register_stream } = bot;
  const { default_all_public_streams } = bot;
  return botAdded(
    {
      bot: {
        user_id,
        services: [],
        default_sending_stream,
        default_events_register_stream,
        default_all_public_streams,
      },
    },
    { audience },
  );
}

/** What those are told who administer a bot no more. */
export function botDeletedEvent(
  { user_id }: { readonly user_id: number },
  audience: Audience,
): NewEvent {
  return botDeleted({ bot: { user_id } }, { audience });
}

/** What those are told who administer a bot of which they see something else now. */
export function botUpdatedEvent(
  botId: number,
  changed: Partial<BotDefaults>,
  audience: Audience,
): NewEvent {
  return botUpdated({ bot: { user_id: botId, ...changed } }, { audience });
}

/**
 * A bot that becomes active has another name than every active account, and one that looks different (users.md §5). No name is
 * given to another bot until the transaction ends.
 * @param exceptId the bot that is to have the name
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

/** Of a bot that only posts what other services send it. */
const incomingWebhook = 2;

/** Whether the account may have bots of the kind (users.md §5): those that only write have a permission more. */
export async function mayCreateBot(
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
