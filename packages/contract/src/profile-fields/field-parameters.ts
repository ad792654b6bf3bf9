import { form } from "../form.ts";
import { shape } from "../shape.ts";

/** What can be said of a custom profile field, at its creation and later (settings-and-profile-fields.md §2.3). */
export const profileFieldParameters = {
  name: form
    .text()
    .optional()
    .describe(
      "1 to 40 characters; no other field has the same. Not of a site of `realm_default_external_accounts`, which gives " +
        "name and hint itself.",
    ),
  hint: form.text().optional().describe("At most 80 characters."),
  field_data: form
    .json(shape.object)
    .optional()
    .describe(
      "Of type 3 the choices, `{key: {text, order}}`. Of type 7 `subtype`, one of `realm_default_external_accounts` or " +
        "`custom`, which may have a `url_pattern` with `%(username)s` in it. Ignored of the others.",
    ),
  display_in_profile_summary: form
    .bool()
    .optional()
    .describe("Not of type 6, and of two fields at most. A new one is not, unless so given."),
  required: form
    .bool()
    .optional()
    .describe("A hint to clients: nothing is refused for lack of a value. A new one is not."),
  editable_by_user: form
    .bool()
    .optional()
    .describe("Whether others than administrators set their value. Of a new one they do."),
  use_for_user_matching: form
    .bool()
    .optional()
    .describe("Of types 1 and 7 only. A new one is not."),
};
