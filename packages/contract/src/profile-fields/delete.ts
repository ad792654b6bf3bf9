import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `DELETE /realm/profile_fields/{field_id}` (settings-and-profile-fields.md §2.3). */
export const deleteProfileField = operation({
  id: "delete-profile-field",
  method: "DELETE",
  path: "/api/v1/realm/profile_fields/{field_id}",
  access: "administrator",
  summary: "Delete a custom profile field",
  example: { made: { FIELD_ID: ["create-profile-field", "id"] }, path: { field_id: "$FIELD_ID" } },
  description: "Everybody's value of it is deleted too.",
  pathParams: { field_id: path.int() },
});
