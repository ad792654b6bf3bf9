import * as z from "zod";
import type { ItemLimit } from "../primitives/bounds.ts";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { oneInteger } from "../primitives/one-integer.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { shape } from "../primitives/shape.ts";

/** Maximum number of custom profile fields of an organization: each registration returns all of them. */
export const maxProfileFields = 100;

/** Maximum length of the `field_data` of a field, in code points. */
export const maxProfileFieldData = 20_000;

/** Maximum number of accounts in a profile value: each registration returns the values of all accounts. */
export const maxProfileUsers = 100;

/** Maximum length of the HTML of a profile value, in characters. */
export const maxProfileHtml = 50_000;

const profileFieldsBound: ItemLimit = { count: maxProfileFields, of: "profile fields" };

/** New values of an account's custom profile fields. */
export const profileEntries = form
  .json(
    z.array(
      z.object({
        id: shape.id,
        value: z.union([z.string(), z.array(shape.id), z.null()]),
      }),
    ),
    { maxItems: profileFieldsBound },
  )
  .describe('Values of custom profile fields; `null`, `""` and `[]` remove one.');

/** Parameters of a custom profile field, for creation and changes (settings-and-profile-fields.md §2.3). */
const profileFieldParameters = {
  name: form
    .text()
    .optional()
    .describe(
      "1 to 40 characters; unique. Not allowed for a site of `realm_default_external_accounts`, which defines name and hint itself.",
    ),
  hint: form.text().optional().describe("At most 80 characters."),
  field_data: form
    .json(shape.object)
    .optional()
    .describe(
      "For type 3 the choices, `{key: {text, order}}`. For type 7 `subtype`: one of `realm_default_external_accounts`, or `custom` with an optional `url_pattern` that contains `%(username)s`. Ignored for other types.",
    ),
  display_in_profile_summary: form
    .bool()
    .optional()
    .describe("Not for type 6, and for at most two fields. Default for a new field: false."),
  required: form
    .bool()
    .optional()
    .describe(
      "A hint to clients: the server accepts missing values. Default for a new field: false.",
    ),
  editable_by_user: form
    .bool()
    .optional()
    .describe(
      "Whether users set their own value; otherwise only administrators do. Default for a new field: true.",
    ),
  use_for_user_matching: form
    .bool()
    .optional()
    .describe("Only for types 1 and 7. Default for a new field: false."),
};

/** A custom profile field as clients see it (settings-and-profile-fields.md §2.1). */
export const profileFieldObject = z.strictObject({
  id: z.int(),
  type: z.int(),
  /** Its place: fields are sorted by it, then by their IDs. */
  order: z.int(),
  name: z.string(),
  hint: z.string(),
  /** JSON text for types 3 and 7; empty for other types. */
  field_data: z.string(),
  required: z.boolean(),
  editable_by_user: z.boolean(),
  /** Only when true. */
  display_in_profile_summary: z.literal(true).optional(),
  /** Only when true. */
  use_for_user_matching: z.literal(true).optional(),
});
export type ProfileFieldObject = z.infer<typeof profileFieldObject>;

/** `GET /realm/profile_fields` (settings-and-profile-fields.md §2.2). */
export const listProfileFields = operation({
  id: "list-profile-fields",
  method: "GET",
  path: "/api/v1/realm/profile_fields",
  access: "account",
  summary: "Get all custom profile fields",
  description: "All of the organization, in order.",
  result: { custom_fields: z.array(profileFieldObject) },
});

/** `POST /realm/profile_fields` (settings-and-profile-fields.md §2.3). */
export const createProfileField = operation({
  id: "create-profile-field",
  method: "POST",
  path: "/api/v1/realm/profile_fields",
  access: "administrator",
  idempotencyKey: true,
  summary: "Create a custom profile field",
  example: { params: { name: "Pronouns $RANDOM", field_type: 1 } },
  description: `The new field is the last in the order. An organization has at most ${maxProfileFields}.`,
  params: {
    field_type: oneInteger([1, 2, 3, 4, 5, 6, 7, 8]).describe(
      "1 short text, 2 paragraph, 3 dropdown, 4 date, 5 link, 6 users, 7 external account, 8 pronouns.",
    ),
    ...profileFieldParameters,
  },
  result: { id: z.int() },
});

/** `PATCH /realm/profile_fields/{field_id}` (settings-and-profile-fields.md §2.3). */
export const updateProfileField = operation({
  id: "update-profile-field",
  method: "PATCH",
  path: "/api/v1/realm/profile_fields/{field_id}",
  access: "administrator",
  idempotencyKey: true,
  summary: "Update a custom profile field",
  example: {
    made: { FIELD_ID: ["create-profile-field", "id"] },
    path: { field_id: "$FIELD_ID" },
    params: { hint: "How others refer to you" },
  },
  description: "The change is atomic. Values with a removed dropdown choice are deleted.",
  pathParams: { field_id: path.int() },
  params: profileFieldParameters,
});

/** `PATCH /realm/profile_fields` (settings-and-profile-fields.md §2.3). */
export const reorderProfileFields = operation({
  id: "reorder-profile-fields",
  method: "PATCH",
  path: "/api/v1/realm/profile_fields",
  access: "administrator",
  idempotencyKey: true,
  summary: "Reorder custom profile fields",
  example: { made: { FIELD_ID: ["create-profile-field", "id"] }, params: { order: "[$FIELD_ID]" } },
  params: {
    order: form
      .json(z.array(shape.id), { maxItems: profileFieldsBound })
      .describe("IDs of all fields of the organization, each once; others are ignored."),
  },
});

/** `DELETE /realm/profile_fields/{field_id}` (settings-and-profile-fields.md §2.3). */
export const deleteProfileField = operation({
  id: "delete-profile-field",
  method: "DELETE",
  path: "/api/v1/realm/profile_fields/{field_id}",
  access: "administrator",
  idempotencyKey: true,
  summary: "Delete a custom profile field",
  example: { made: { FIELD_ID: ["create-profile-field", "id"] }, path: { field_id: "$FIELD_ID" } },
  description: "All users' values of the field are deleted, too.",
  pathParams: { field_id: path.int() },
});

/** `PATCH /users/me/profile_data` (settings-and-profile-fields.md §2.5). */
export const updateOwnProfile = operation({
  id: "update-own-profile",
  method: "PATCH",
  path: "/api/v1/users/me/profile_data",
  access: "human",
  idempotencyKey: true,
  summary: "Update your values of custom profile fields",
  example: {
    made: { FIELD_ID: ["create-profile-field", "id"] },
    params: { data: '[{"id":$FIELD_ID,"value":"they"}]' },
  },
  description: "Stores all values, or none if one is invalid.",
  params: { data: profileEntries },
});

/** `DELETE /users/me/profile_data` (settings-and-profile-fields.md §2.5). */
export const removeOwnProfile = operation({
  id: "remove-own-profile",
  method: "DELETE",
  path: "/api/v1/users/me/profile_data",
  access: "human",
  idempotencyKey: true,
  summary: "Remove your values of custom profile fields",
  example: { made: { FIELD_ID: ["create-profile-field", "id"] }, params: { data: "[$FIELD_ID]" } },
  description: "Deletes all values, or none if a field is unknown or reserved to administrators.",
  params: {
    data: form
      .json(z.array(shape.id), { maxItems: profileFieldsBound })
      .describe("IDs of fields; a field without a value is ignored."),
  },
});

export const profileFieldsChanged = event({
  type: "custom_profile_fields",
  about:
    "The custom profile fields changed: the event has all of them. Values of fields and of dropdown choices that are missing in it have been deleted.",
  to: "everybody",
  fields: { fields: z.array(profileFieldObject) },
});
