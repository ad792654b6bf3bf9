import { z } from "zod";
import { groupSettingUpdate, groupSettingValue } from "../channels/group-setting.ts";
import { form } from "../form.ts";
import { maxId } from "../ids.ts";
import { operation } from "../operation.ts";

const update = () => form.json(groupSettingUpdate).optional();
const ownersOnly = "Only owners change it.";

/** The permissions of an organization, as updates (user-groups.md §3.2). */
const permissions = {
  can_manage_all_groups: update().describe(ownersOnly),
  can_create_groups: update().describe(ownersOnly),
  can_create_public_channel_group: update(),
  can_create_private_channel_group: update(),
  can_create_web_public_channel_group: update().describe(
    "Takes `role:moderators`, `role:administrators`, `role:owners` or `role:nobody`.",
  ),
  can_add_subscribers_group: update(),
  can_delete_any_message_group: update(),
  can_delete_own_message_group: update(),
  can_move_messages_between_channels_group: update(),
  can_move_messages_between_topics_group: update(),
  can_resolve_topics_group: update(),
  can_set_topics_policy_group: update(),
  can_set_delete_message_policy_group: update(),
  can_access_all_users_group: update().describe("Takes `role:everyone` or `role:members`."),
  can_create_bots_group: update(),
  can_create_write_only_bots_group: update(),
  can_add_custom_emoji_group: update(),
  can_mention_many_users_group: update(),
  can_invite_users_group: update().describe(ownersOnly),
  create_multiuse_invite_group: update().describe(ownersOnly),
  direct_message_initiator_group: update(),
  direct_message_permission_group: update(),
  can_summarize_topics_group: update(),
};

type Permission = keyof typeof permissions;

const changedPermissions = Object.fromEntries(
  Object.keys(permissions).map((name) => [name, groupSettingValue.optional()]),
) as Record<Permission, z.ZodOptional<typeof groupSettingValue>>;

/** `PATCH /realm` (users.md §5, user-groups.md §3.2). */
export const updateRealm = operation({
  id: "update-realm",
  method: "PATCH",
  path: "/api/v1/realm",
  access: "administrator",
  summary: "Update the organization",
  description:
    "The answer names what was changed: each permission with its new value, texts as `updated`. Everything is changed " +
    "or nothing.",
  params: {
    name: form.text().optional().describe("1 to 40 characters."),
    description: form.text().optional().describe("At most 1000 characters."),
    waiting_period_threshold: form
      .int({ min: 0, max: maxId })
      .optional()
      .describe("Days until a new member counts as a full one."),
    require_unique_names: form.bool().optional(),
    name_changes_disabled: form.bool().optional(),
    email_changes_disabled: form.bool().optional(),
    ...permissions,
  },
  result: {
    name: z.literal("updated").optional(),
    description: z.literal("updated").optional(),
    waiting_period_threshold: z.int().optional(),
    require_unique_names: z.boolean().optional(),
    name_changes_disabled: z.boolean().optional(),
    email_changes_disabled: z.boolean().optional(),
    ...changedPermissions,
  },
  errors: ["EXPECTATION_MISMATCH", "SYSTEM_GROUP_REQUIRED"],
});
