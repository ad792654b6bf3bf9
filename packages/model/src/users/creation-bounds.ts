import { bounds, errors } from "@carillon/contract";
import { lockKey, statement, type Sql, type Tx } from "@carillon/db";

import { isOrganizationAdministrator } from "../permissions/memberships.ts";
import type { Account } from "./account.ts";

/** A kind of objects whose number in an organization is limited. */
export interface CreationKind {
  /** The kind's name in error messages. */
  readonly name: string;
  /** The state of objects that count although they are no longer used. */
  readonly kept: string;
  readonly inOrganization: number;
  readonly aDay: number;
  /**
   * Counts all objects of the organization $1, and those that the person $2 and their bots have created within 24
   * hours.
   */
  readonly count: ReturnType<typeof counting>;
}

/**
 * Returns the statement that counts a kind of objects.
 * @param rows the table `t` with the condition on the organization $1
 * @param maker the column with the account that has created a row
 */
function counting(
  name: "bots" | "channels" | "user-groups",
  rows: string,
  {
    maker,
    madeAt,
    limit,
  }: { readonly maker: string; readonly madeAt: string; readonly limit: string },
) {
  return statement({
    name: `creation-bound-${name}`,
    text: `SELECT count(*)::int AS total, (SELECT ${limit} FROM realms WHERE id = $1) AS allowed,
        count(*) FILTER (WHERE ${madeAt} > now() - interval '24 hours' AND (${maker} = $2 OR EXISTS (
          SELECT FROM users b WHERE b.id = ${maker} AND b.is_bot AND b.bot_owner_id = $2)))::int AS today
      FROM ${rows}`,
  });
}

export const creationKinds = {
  channels: {
    name: "channels",
    kept: "archived",
    inOrganization: bounds.organizationChannels,
    aDay: bounds.channelsADay,
    count: counting("channels", "channels t WHERE t.realm_id = $1", {
      maker: "t.creator_id",
      madeAt: "t.date_created",
      limit: "max_channels",
    }),
  },
  userGroups: {
    name: "user groups",
    kept: "deactivated",
    inOrganization: bounds.organizationUserGroups,
    aDay: bounds.userGroupsADay,
    count: counting(
      "user-groups",
      "named_user_group t WHERE t.realm_id = $1 AND NOT t.is_system_group",
      {
        maker: "t.creator_id",
        madeAt: "t.date_created",
        limit: "max_user_groups",
      },
    ),
  },
  bots: {
    name: "bots",
    kept: "deactivated",
    inOrganization: bounds.organizationBots,
    aDay: bounds.botsADay,
    count: counting(
      "bots",
      "users t WHERE t.realm_id = $1 AND t.is_bot AND t.system_bot_kind IS NULL",
      {
        maker: "t.bot_owner_id",
        madeAt: "t.date_joined",
        limit: "max_bots",
      },
    ),
  },
} as const satisfies Readonly<Record<string, CreationKind>>;

/**
 * Checks that the account may create this many more (http-contract.md §8.1). The caller must hold a lock against
 * concurrent creation: for bots and groups the group graph, for channels see {@link checkNewChannels}.
 * @throws ApiError `BAD_REQUEST` if not
 */
export async function checkCreationBound(
  tx: Tx,
  kind: CreationKind,
  actor: Account,
  more: number,
): Promise<void> {
  const person = actor.isBot ? (actor.botOwnerId ?? actor.id) : actor.id;
  const counted = await tx.first(kind.count, [actor.realmId, person]);
  const { total = 0, today = 0, allowed = null } = counted ?? {};
  const most = allowed ?? kind.inOrganization;
  if (total + more > most)
    throw errors.badRequest(
      `An organization cannot have more than ${most} ${kind.name}, ${kind.kept} ones included: the operator of the server can allow more`,
    );
  if (today + more > kind.aDay && !isOrganizationAdministrator(actor))
    throw errors.badRequest(
      `A person and their bots cannot make more than ${kind.aDay} ${kind.name} within 24 hours: ask an administrator of the organization`,
    );
}

/**
 * Checks the limit for channels, and locks out concurrent creation of channels until the transaction ends.
 * @throws ApiError `BAD_REQUEST` if it is exceeded
 */
export async function checkNewChannels(tx: Tx, actor: Account, more: number): Promise<void> {
  if (more === 0) return;
  await lockKey(tx, "newChannels", actor.realmId);
  await checkCreationBound(tx, creationKinds.channels, actor, more);
}

/** Returns how many objects of each kind an organization has and may have. */
export async function countCreated(
  sql: Sql,
  realmId: number,
): Promise<Array<{ readonly name: string; readonly count: number; readonly limit: number }>> {
  const found = [];
  for (const { name, count, inOrganization } of Object.values(creationKinds)) {
    const [row] = await sql.rows(count, [realmId, null]);
    found.push({ name, count: row?.total ?? 0, limit: row?.allowed ?? inOrganization });
  }
  return found;
}
