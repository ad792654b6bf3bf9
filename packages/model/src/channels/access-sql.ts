import { channelPermissions, isAtLeast, isGuest, roles } from "@carillon/contract";

import { columnOf } from "../permissions/group-setting-values.ts";
import type { Fragment } from "../sql-values.ts";
import type { Account } from "../users/account.ts";
import { readingPermissions, showingPermissions } from "./access.ts";

/*
 * The rules of `access.ts` as SQL conditions on a channel `c`.
 */

/** The columns that decide which accounts can see a channel. */
export const accessFactsColumns = [
  `c.invite_only AS "inviteOnly", c.is_web_public AS "isWebPublic"`,
  ...showingPermissions.map((name) => `c.${columnOf(channelPermissions[name])} AS "${name}Id"`),
].join(", ");

const groupsOf = (permissions: typeof readingPermissions | typeof showingPermissions) =>
  `ARRAY[${permissions.map((name) => `c.${columnOf(channelPermissions[name])}`).join(", ")}]`;

/** SQL: the groups whose members may read a private channel. */
export const readingGroups = groupsOf(readingPermissions);

/** SQL: the groups whose members can see a private channel. */
export const showingGroups = groupsOf(showingPermissions);

/** SQL: whether seeing the channel requires more than a role. */
export const isPrivateSql = "c.invite_only";

/** SQL equivalent of `isPublic` in `access.ts`. */
export const isPublicSql = "NOT c.invite_only";

/** SQL: whether all accounts may read the channel, including guests. */
export const isWebPublicSql = "c.is_web_public";

/** SQL: the opposite of `hasProtectedHistory` in `access.ts`. */
export const hasSharedHistorySql = "c.history_public_to_subscribers";

/** SQL: the ids of the groups that an account is in, at any depth, as an array. */
const groupsOfAccount = (me: string) => `(WITH RECURSIVE mine (group_id) AS (
        SELECT group_id FROM user_group_member WHERE user_id = ${me}
        UNION
        SELECT edge.supergroup_id FROM mine JOIN user_group_subgroup edge ON edge.subgroup_id = mine.group_id
      ) SELECT coalesce(array_agg(group_id), '{}') FROM mine)`;

/**
 * Writes the SQL equivalent of `Memberships.holds` for a permission that guests never hold.
 * @param group SQL for the id of its group
 */
export function holdsPermission(viewer: Pick<Account, "id" | "role">, group: string): Fragment {
  return (values) =>
    isGuest(viewer)
      ? "false"
      : `${group} = ANY(${groupsOfAccount(values.add(viewer.id, "int"))}::int[])`;
}

/** Writes the SQL equivalent of `canAdminister` for an active account. */
export function channelAdministrable(viewer: Pick<Account, "id" | "role">): Fragment {
  return isAtLeast(viewer, roles.administrator)
    ? () => "true"
    : holdsPermission(viewer, `c.${columnOf(channelPermissions.canAdministerChannelGroup)}`);
}

/**
 * Writes the SQL equivalent of `hasContentAccess` for an account of the statement.
 * @param me SQL for its id
 * @param isGuestSql SQL for whether it is a guest
 */
export function channelReadableBy(me: string, isGuestSql: string): string {
  const subscribed = `EXISTS (SELECT 1 FROM subscriptions s
      WHERE s.channel_id = c.id AND s.user_id = ${me} AND s.active OFFSET 0)`;
  return `(${subscribed} OR CASE WHEN ${isGuestSql} THEN ${isWebPublicSql}
      ELSE ${isPublicSql} OR ${readingGroups} && ${groupsOfAccount(me)} END)`;
}

/** Writes the SQL equivalent of `hasContentAccess`, for hot reads that cannot check channel by channel. */
export function channelReadable(viewer: Pick<Account, "id" | "role">): Fragment {
  return (values) => {
    const me = values.add(viewer.id, "int");
    const subscribed = `EXISTS (SELECT 1 FROM subscriptions s
      WHERE s.channel_id = c.id AND s.user_id = ${me} AND s.active OFFSET 0)`;
    // The groups give guests nothing, because neither permission may be given to role:everyone.
    if (isGuest(viewer)) return `(${isWebPublicSql} OR ${subscribed})`;
    return `(${isPublicSql} OR ${subscribed} OR ${readingGroups} && ${groupsOfAccount(me)})`;
  };
}
