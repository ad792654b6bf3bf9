import { operation } from "../operation.ts";
import { profileEntries } from "./profile-entries.ts";

/** `PATCH /users/me/profile_data` (settings-and-profile-fields.md §2.5). */
export const updateOwnProfile = operation({
  id: "update-own-profile",
  method: "PATCH",
  path: "/api/v1/users/me/profile_data",
  access: "human",
  summary: "Update your values of custom profile fields",
  example: {
    made: { FIELD_ID: ["create-profile-field", "id"] },
    params: { data: '[{"id":$FIELD_ID,"value":"they"}]' },
  },
  description: "All of them, or none where one is unusable.",
  params: { data: profileEntries },
});
