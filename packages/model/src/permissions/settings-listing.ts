import { column, statement, type Sql } from "@carillon/db";

import { channelSettings, groupSettings, realmSettings } from "./registry.ts";

/** A setting whose value is a set that lists an account by itself. */
export interface ListingSetting {
  readonly scope: "realm" | "channel" | "group";
  /** Of the organization, the channel or the group that has the setting. */
  readonly ownerId: number;
  /** Of the setting, as on the wire. */
  readonly name: string;
  /** The set. */
  readonly groupId: number;
}

const namesOf = (rules: Readonly<Record<string, { readonly name: string }>>) =>
  Object.values(rules).map(({ name }) => name);

/** One row for each of a table's settings that names one of the sets. */
function usesIn(
  scope: ListingSetting["scope"],
  table: string,
  key: string,
  names: string[],
): string {
  const settings = names.map((name, i) => `(${i}, '${name}', t.${name}_id)`).join(", ");
  return `SELECT '${scope}' AS scope, t.id AS "ownerId", setting.name, setting.group_id AS "groupId", setting.ord
    FROM ${table} t CROSS JOIN LATERAL (VALUES ${settings}) AS setting (ord, name, group_id)
    WHERE t.${key} = $1 AND setting.group_id IN (SELECT id FROM listing)`;
}

const listing = statement({
  name: "settings-listing-account",
  text: `WITH listing AS (
      SELECT m.group_id AS id FROM user_group_member m
      WHERE m.user_id = $2 AND NOT EXISTS (SELECT FROM named_user_group n WHERE n.id = m.group_id)
    )
    ${usesIn("realm", "realms", "id", namesOf(realmSettings))}
    UNION ALL ${usesIn("channel", "channels", "realm_id", namesOf(channelSettings))}
    UNION ALL ${usesIn("group", "named_user_group", "realm_id", namesOf(groupSettings))}
    ORDER BY scope, "ownerId", ord`,
  row: {
    scope: column.text.as<ListingSetting["scope"]>(),
    ownerId: column.int,
    name: column.text,
    groupId: column.int,
    ord: column.int,
  },
});

/** The organization's settings that list the account by itself, in one statement, however many there are. */
export function loadSettingsListing(
  sql: Sql,
  realmId: number,
  userId: number,
): Promise<ListingSetting[]> {
  return sql.rows(listing, [realmId, userId]);
}
