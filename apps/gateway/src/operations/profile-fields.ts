import * as contract from "@carillon/contract";
import {
  createProfileField,
  deleteProfileField,
  type FieldChanges,
  reorderProfileFields,
  updateOwnProfile,
  updateProfileField,
} from "@carillon/domain";
import { listProfileFields } from "@carillon/model";
import { handle } from "../handle.ts";

/** Maps the parameters of a custom profile field to the names that the rules use. */
function fieldChanges(input: contract.InputOf<typeof contract.updateProfileField>): FieldChanges {
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

export default [
  handle.reads(contract.listProfileFields, async ({ sql, actor }) => ({
    custom_fields: await listProfileFields(sql, actor.realmId),
  })),

  handle.changes(contract.createProfileField, async ({ tx, input, actor }) => ({
    id: await createProfileField(tx, actor, input.field_type, fieldChanges(input)),
  })),

  handle.changes(contract.updateProfileField, ({ tx, input, path, actor }) =>
    updateProfileField(tx, actor, path.field_id, fieldChanges(input)),
  ),

  handle.changes(contract.reorderProfileFields, ({ tx, input, actor }) =>
    reorderProfileFields(tx, actor, input.order),
  ),

  handle.changes(contract.deleteProfileField, ({ tx, path, actor }) =>
    deleteProfileField(tx, actor, path.field_id),
  ),

  handle.changes(contract.updateOwnProfile, ({ tx, input, actor }) =>
    updateOwnProfile(tx, actor, input.data),
  ),

  handle.changes(contract.removeOwnProfile, ({ tx, input, actor }) =>
    updateOwnProfile(
      tx,
      actor,
      input.data.map((id) => ({ id, value: null })),
    ),
  ),
];
