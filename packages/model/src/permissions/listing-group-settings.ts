import { column, statement, type Sql } from "@carillon/db";

import { columnOf } from "./columns.ts";
import { scopes, type PermissionScope } from "./scopes.ts";

/** A group setting whose value is a set that lists an account by itself. */
export interface ListingGroupSetting {
  readonly scope: PermissionScope;
  /** Of the organization, the channel or the user group that has it. */
  readonly ownerId: number;
  /** Of the permission, as on the wire. */
  readonly name: string;
  /** The set. */
  readonly groupId: number;
}

/** One row for each group setting of a scope that is one of the sets. */
function listingIn(scope: PermissionScope): string {
  const { permissions, table, realmColumn } = scopes[scope];
  const settings = Object.values(permissions)
    .map((permission, i) => `(${i}, '${permission.name}', t.${columnOf(permission)})`)
    .join(", ");
  return `SELECT '${scope}' AS scope, t.id AS "ownerId", setting.name, setting.group_id AS "groupId", setting.ord
    FROM ${table} t CROSS JOIN LATERAL (VALUES ${settings}) AS setting (ord, name, group_id)
    WHERE t.${realmColumn} = $1 AND setting.group_id IN (SELECT id FROM listing)`;
}

const listing = statement({
  name: "group-settings-listing-account",
  text: `WITH listing AS (
      SELECT m.group_id AS id FROM user_group_member m
      WHERE m.user_id = $2 AND NOT EXISTS (SELECT FROM named_user_group n WHERE n.id = m.group_id)
    )
    ${(["realm", "channel", "group"] as const).map(listingIn).join(" UNION ALL ")}
    ORDER BY scope, "ownerId", ord`,
  row: {
    scope: column.text.as<PermissionScope>(),
    ownerId: column.int,
    name: column.text,
    groupId: column.int,
    ord: column.int,
  },
});

/** The group settings of the organization that list the account by itself, in one statement, however many there are. */
export function loadListingGroupSettings(
  sql: Sql,
  realmId: number,
  userId: number,
): Promise<ListingGroupSetting[]> {
  return sql.rows(listing, [realmId, userId]);
}
