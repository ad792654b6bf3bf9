import {
  groupSettingInput,
  groupSettingUpdate,
  groupSettingValue,
} from "../channels/group-setting.ts";
import { form } from "../form.ts";

const value = () => form.json(groupSettingInput).optional();
const update = () => form.json(groupSettingUpdate).optional();

/** The permissions of a new user group, as parameters (user-groups.md §3.1). */
export const groupSettingParameters = {
  can_add_members_group: value().describe("The creator unless given."),
  can_join_group: value().describe("Nobody unless given."),
  can_leave_group: value().describe("Everyone unless given."),
  can_manage_group: value().describe("The creator unless given."),
  can_mention_group: value().describe("Everyone unless given; not `role:owners`."),
  can_remove_members_group: value().describe("Nobody unless given."),
};

/** The same as updates of a group that there is, each with `new` and perhaps `old`. */
export const groupSettingUpdates = {
  can_add_members_group: update(),
  can_join_group: update(),
  can_leave_group: update(),
  can_manage_group: update(),
  can_mention_group: update().describe("Not `role:owners`."),
  can_remove_members_group: update(),
};

/** The same in an answer. */
export const groupSettingFields = {
  can_add_members_group: groupSettingValue,
  can_join_group: groupSettingValue,
  can_leave_group: groupSettingValue,
  can_manage_group: groupSettingValue,
  can_mention_group: groupSettingValue,
  can_remove_members_group: groupSettingValue,
};
