import { z } from "zod";
import { mostProfileFields } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { shape } from "../shape.ts";

/** `DELETE /users/me/profile_data` (settings-and-profile-fields.md §2.5). */
export const removeOwnProfile = operation({
  id: "remove-own-profile",
  method: "DELETE",
  path: "/api/v1/users/me/profile_data",
  access: "human",
  summary: "Remove your values of custom profile fields",
  example: { made: { FIELD_ID: ["create-profile-field", "id"] }, params: { data: "[$FIELD_ID]" } },
  description: "All of them, or none where a field is unknown or reserved to administrators.",
  params: {
    data: form
      .json(z.array(shape.id), { most: mostProfileFields })
      .describe("IDs of fields; without a value there is nothing to remove."),
  },
});
