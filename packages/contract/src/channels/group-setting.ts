import { z } from "zod";
import { bounds } from "../bounds.ts";
import { form } from "../form.ts";
import { shape } from "../shape.ts";

/** A group-setting value (user-groups.md §3): the ID of a named group, or a set of accounts and groups. */
export const groupSettingInput = z
  .union([
    shape.id,
    z.object({ direct_members: z.array(shape.id), direct_subgroups: z.array(shape.id) }),
  ])
  .refine(
    (value) =>
      typeof value === "number" ||
      value.direct_members.length + value.direct_subgroups.length <= bounds.accounts,
    `must not name more than ${bounds.accounts} accounts and groups`,
  );

/**
 * The update form (user-groups.md §3): the new value, and the one that the caller expects it to replace. A bare value
 * is refused.
 */
export const groupSettingUpdate = z.object({
  new: groupSettingInput,
  old: groupSettingInput.optional(),
});

/** The same as a value, in an answer. */
export const groupSettingValue = z.union([
  z.int(),
  z.strictObject({ direct_members: z.array(z.int()), direct_subgroups: z.array(z.int()) }),
]);

const setting = () => form.json(groupSettingInput).optional();

/** The permissions of a channel, as parameters of the operations that create one (channels.md §2). */
export const channelGroupParameters = {
  can_add_subscribers_group: setting(),
  can_create_topic_group: setting().describe(
    "Must be `role:everyone` for a private channel with protected history.",
  ),
  can_delete_any_message_group: setting(),
  can_delete_own_message_group: setting(),
  can_remove_subscribers_group: setting(),
  can_administer_channel_group: setting(),
  can_move_messages_out_of_channel_group: setting(),
  can_move_messages_within_channel_group: setting(),
  can_send_message_group: setting(),
  can_subscribe_group: setting(),
  can_resolve_topics_group: setting(),
};
