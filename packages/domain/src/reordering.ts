import { statement } from "@carillon/db";

/**
 * Declares the statement that gives an organization's rows the order of a list: from 0 on, and no row is written that has
 * its place. Values: the organization, and the ids.
 */
export function reordering(table: "channel_folders" | "custom_profile_fields" | "linkifiers") {
  return statement({
    name: `reorder-${table.replaceAll("_", "-")}`,
    text: `UPDATE ${table} t SET "order" = wanted.place - 1
      FROM unnest($2::int[]) WITH ORDINALITY AS wanted (id, place)
      WHERE t.realm_id = $1 AND t.id = wanted.id AND t."order" <> wanted.place - 1`,
    row: {},
  });
}
