import { z } from "zod";
import { groupSettingFields } from "../permissions/parameters.ts";
import { groupPermissions } from "../permissions/registry.ts";

/** A user group in answers (user-groups.md §5); lists ascend. */
export const userGroupObject = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  /** UNIX time in seconds; null where nobody wrote it down. */
  date_created: z.int().nullable(),
  creator_id: z.int().nullable(),
  /** The direct ones that are active. */
  members: z.array(z.int()),
  direct_subgroup_ids: z.array(z.int()),
  is_system_group: z.boolean(),
  deactivated: z.boolean(),
  ...groupSettingFields(groupPermissions),
});
export type UserGroupObject = z.infer<typeof userGroupObject>;
