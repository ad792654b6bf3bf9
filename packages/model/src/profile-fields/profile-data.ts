import type { ProfileValue } from "@carillon/contract";

/** What an account says in custom profile fields, by their ids (users.md §2). */
export type ProfileData = Readonly<Record<string, ProfileValue>>;

/** An SQL expression: the {@link ProfileData} of the account with the id that `userId` stands for, null without any. */
export function profileDataSql(userId: string): string {
  return `(SELECT json_object_agg(v.field_id,
      json_strip_nulls(json_build_object('value', v.value, 'rendered_value', v.rendered_value)) ORDER BY v.field_id)
    FROM custom_profile_field_values v WHERE v.user_id = ${userId})`;
}
