import { channelPermissions, isGuest } from "@carillon/contract";
import { column } from "@carillon/db";

import { columnOf } from "../permissions/group-setting-values.ts";
import type { Fragment } from "../sql-values.ts";
import type { Account } from "../users/account.ts";
import { readingPermissions, showingPermissions } from "./access.ts";

/*
 * The rules of `access.ts` as parts of statements, about a channel that is called `c`.
 */

/** The rows of {@link accessFactsColumns}. */
export const accessFactsRow = {
  inviteOnly: column.bool,
  isWebPublic: column.bool,
  canAddSubscribersGroupId: column.int,
  canSubscribeGroupId: column.int,
  canAdministerChannelGroupId: column.int,
};

/** What decides who sees a channel. */
export const accessFactsColumns = [
  `c.invite_only AS "inviteOnly", c.is_web_public AS "isWebPublic"`,
  ...showingPermissions.map((name) => `c.${columnOf(channelPermissions[name])} AS "${name}Id"`),
].join(", ");

const groupsOf = (permissions: typeof readingPermissions | typeof showingPermissions) =>
  `ARRAY[${permissions.map((name) => `c.${columnOf(channelPermissions[name])}`).join(", ")}]`;

/** The groups whose members may read the channel where it is private. */
export const readingGroups = groupsOf(readingPermissions);

/** Those whose members see it. */
export const showingGroups = groupsOf(showingPermissions);

/** Whether it takes more than a role to see the channel. */
export const isPrivateSql = "c.invite_only";

/** `isPublic` of `access.ts`. */
export const isPublicSql = "NOT c.invite_only";

/** Whether everybody may read it, guests too. */
export const isWebPublicSql = "c.is_web_public";

/** The opposite of `hasProtectedHistory` of `access.ts`. */
export const hasSharedHistorySql = "c.history_public_to_subscribers";

/** Content access, for the hot reads that cannot ask channel by channel: it says what `hasContentAccess` says. */
export function channelReadable(viewer: Pick<Account, "id" | "role">): Fragment {
  return (values) => {
    const me = values.add(viewer.id, "int");
    const subscribed = `EXISTS (SELECT 1 FROM subscriptions s
      WHERE s.channel_id = c.id AND s.user_id = ${me} AND s.active OFFSET 0)`;
    // Guests gain nothing from the groups: neither permission may be given to everyone.
    if (isGuest(viewer)) return `(${isWebPublicSql} OR ${subscribed})`;
    return `(${isPublicSql} OR ${subscribed} OR ${readingGroups} && (
      WITH RECURSIVE mine (group_id) AS (
        SELECT group_id FROM user_group_member WHERE user_id = ${me}
        UNION
        SELECT edge.supergroup_id FROM mine JOIN user_group_subgroup edge ON edge.subgroup_id = mine.group_id
      ) SELECT coalesce(array_agg(group_id), '{}') FROM mine))`;
  };
}
