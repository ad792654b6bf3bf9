import { z } from "zod";

/** A custom profile field as clients see it (settings-and-profile-fields.md §2.1). */
export const profileFieldObject = z.strictObject({
  id: z.int(),
  type: z.int(),
  /** Its place: fields are sorted by it, then by their IDs. */
  order: z.int(),
  name: z.string(),
  hint: z.string(),
  /** JSON text, of types 3 and 7; empty for the others. */
  field_data: z.string(),
  required: z.boolean(),
  editable_by_user: z.boolean(),
  /** Only when true. */
  display_in_profile_summary: z.literal(true).optional(),
  /** Only when true. */
  use_for_user_matching: z.literal(true).optional(),
});
export type ProfileFieldObject = z.infer<typeof profileFieldObject>;
