import { z } from "zod";

/** What an account says in a custom profile field. */
const profileValue = z.strictObject({ value: z.string(), rendered_value: z.string().optional() });

export type ProfileValue = z.input<typeof profileValue>;

/** The fields of an account as clients see it (users.md §2). */
export const userFields = {
  user_id: z.int(),
  email: z.string(),
  /** null where the viewer may not see it. */
  delivery_email: z.string().nullable(),
  full_name: z.string(),
  role: z.int(),
  is_active: z.boolean(),
  is_bot: z.boolean(),
  is_owner: z.boolean(),
  is_admin: z.boolean(),
  is_guest: z.boolean(),
  is_imported_stub: z.boolean(),
  timezone: z.string(),
  date_joined: z.string(),
  avatar_version: z.int(),
  avatar_url: z.string().nullable(),
  /** Only when true. */
  is_deleted: z.literal(true).optional(),
  /** Only when true. */
  is_system_bot: z.literal(true).optional(),
  /** Bots only. */
  bot_type: z.int().nullable().optional(),
  /** Bots only. */
  bot_owner_id: z.int().nullable().optional(),
  /** People only, where asked for: values by field id. */
  profile_data: z.record(z.string(), profileValue).optional(),
};

export const userObject = z.strictObject(userFields);

export type UserObject = z.input<typeof userObject>;
