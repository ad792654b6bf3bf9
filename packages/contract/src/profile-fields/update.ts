import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { profileFieldParameters } from "./field-parameters.ts";

/** `PATCH /realm/profile_fields/{field_id}` (settings-and-profile-fields.md §2.3). */
export const updateProfileField = operation({
  id: "update-profile-field",
  method: "PATCH",
  path: "/api/v1/realm/profile_fields/{field_id}",
  access: "administrator",
  summary: "Update a custom profile field",
  example: {
    made: { FIELD_ID: ["create-profile-field", "id"] },
    path: { field_id: "$FIELD_ID" },
    params: { hint: "How others speak of you" },
  },
  description:
    "Everything is changed or nothing. Who had a choice that a dropdown has no more has no value any more.",
  pathParams: { field_id: path.int() },
  params: profileFieldParameters,
});
