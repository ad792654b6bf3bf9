import type { InputOf, updateUser } from "@carillon/contract";
import type { UserChanges } from "@carillon/domain";

/** What a request wants changed of an account. */
export function userChanges(input: InputOf<typeof updateUser>): UserChanges {
  const { role, full_name: fullName, profile_data: profileData, new_email: newEmail } = input;
  return { role, fullName, profileData, newEmail };
}
