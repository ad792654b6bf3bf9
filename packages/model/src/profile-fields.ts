import type { ProfileFieldObject, ProfileValue } from "@carillon/contract";
import { type RowOf, type Sql, statement } from "@carillon/db";

/**
 * A custom profile field of an organization.
 * - `fieldType`: 1 short text, 2 paragraph, 3 dropdown, 4 date, 5 link, 6 users, 7 external account, 8 pronouns
 * - `fieldData`: JSON text; empty for a type without configuration.
 */
export type ProfileField = RowOf<typeof ofRealm>;

const ofRealm = statement({
  name: "profile-fields",
  text: `SELECT id, field_type AS "fieldType", "order", name, hint, field_data AS "fieldData",
      display_in_profile_summary AS "displayInProfileSummary", required, editable_by_user AS "editableByUser",
      use_for_user_matching AS "useForUserMatching"
    FROM custom_profile_fields WHERE realm_id = $1 ORDER BY "order", id`,
});

/** Loads the organization's custom profile fields in order. */
export function loadProfileFields(sql: Sql, realmId: number): Promise<ProfileField[]> {
  return sql.rows(ofRealm, [realmId]);
}

/** Lists the fields in the wire format (settings-and-profile-fields.md §2.1). */
export async function listProfileFields(sql: Sql, realmId: number): Promise<ProfileFieldObject[]> {
  const fields = await loadProfileFields(sql, realmId);
  return fields.map((field) => ({
    id: field.id,
    type: field.fieldType,
    order: field.order,
    name: field.name,
    hint: field.hint,
    field_data: field.fieldData,
    required: field.required,
    editable_by_user: field.editableByUser,
    ...(field.displayInProfileSummary ? { display_in_profile_summary: true as const } : {}),
    ...(field.useForUserMatching ? { use_for_user_matching: true as const } : {}),
  }));
}

/** An account's values of custom profile fields, by field id (users.md §2). */
export type ProfileData = Readonly<Record<string, ProfileValue>>;

/** SQL: the {@link ProfileData} of the account with the id `userId`; null if there is none. */
export function profileDataSql(userId: string): string {
  return `(SELECT json_object_agg(v.field_id,
      json_strip_nulls(json_build_object('value', v.value, 'rendered_value', v.rendered_value)) ORDER BY v.field_id)
    FROM custom_profile_field_values v WHERE v.user_id = ${userId})`;
}
