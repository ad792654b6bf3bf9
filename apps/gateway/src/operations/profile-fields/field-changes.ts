import type { InputOf, updateProfileField } from "@carillon/contract";
import type { FieldChanges } from "@carillon/domain";

/** What a request wants of a custom profile field. */
export function fieldChanges(input: InputOf<typeof updateProfileField>): FieldChanges {
  return {
    name: input.name,
    hint: input.hint,
    fieldData: input.field_data,
    displayInProfileSummary: input.display_in_profile_summary,
    required: input.required,
    editableByUser: input.editable_by_user,
    useForUserMatching: input.use_for_user_matching,
  };
}
