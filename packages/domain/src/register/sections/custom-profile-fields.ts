import { profileFieldTypes } from "../../profile-fields/field-types.ts";
import type { Section } from "../context/section.ts";

/** The custom profile fields, none yet, and what they may hold. */
export const customProfileFields: Section = {
  names: ["custom_profile_fields"],
  load: async () => ({ custom_profile_fields: [], custom_profile_field_types: profileFieldTypes }),
};
