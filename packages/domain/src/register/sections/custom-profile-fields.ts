import { listProfileFields } from "@carillon/model";
import { profileFieldTypes } from "../../profile-fields/field-types.ts";
import type { Section } from "../context/section.ts";

/** The custom profile fields, and what they may hold. */
export const customProfileFields: Section = {
  names: ["custom_profile_fields"],
  load: async ({ tx, realm }) => ({
    custom_profile_fields: await listProfileFields(tx, realm.id),
    custom_profile_field_types: profileFieldTypes,
  }),
};
