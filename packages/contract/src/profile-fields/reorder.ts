import { z } from "zod";
import { mostProfileFields } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { shape } from "../shape.ts";

/** `PATCH /realm/profile_fields` (settings-and-profile-fields.md §2.3). */
export const reorderProfileFields = operation({
  id: "reorder-profile-fields",
  method: "PATCH",
  path: "/api/v1/realm/profile_fields",
  access: "administrator",
  summary: "Reorder custom profile fields",
  example: { made: { FIELD_ID: ["create-profile-field", "id"] }, params: { order: "[$FIELD_ID]" } },
  params: {
    order: form
      .json(z.array(shape.id), { most: mostProfileFields })
      .describe("IDs of all fields of the organization, each once; others are ignored."),
  },
});
