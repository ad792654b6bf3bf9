import { statement } from "@carillon/db";

/**
 * Returns the statement that puts an organization's rows into the order of a list, counted from 0. Only rows whose
 * order changes are written. Values: the organization's id and the row ids.
 */
export function reordering(table: "channel_folders" | "custom_profile_fields" | "linkifiers") {
  return statement({
    name: `reorder-${table}`,
    text: `UPDATE ${table} t SET "order" = wanted.place - 1
      FROM unnest($2::int[]) WITH ORDINALITY AS wanted (id, place)
      WHERE t.realm_id = $1 AND t.id = wanted.id AND t."order" <> wanted.place - 1`,
  });
}
