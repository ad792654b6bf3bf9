import * as z from "zod";
import { groupSettingFields } from "../permissions/parameters.ts";
import { groupPermissions } from "../permissions/registry.ts";
import { userGroupObject } from "../operations/user-groups.ts";
import { event } from "../primitives/event.ts";

/** Marks a group that is deactivated before and after the change: older clients do not know deactivated groups. */
const deactivated = z.literal(true).optional();
const older = {
  include_deactivated_groups: { about: "Not sent for deactivated groups." },
};
const group = { group: userGroupObject };
const members = { group_id: z.int(), user_ids: z.array(z.int()) };
const subgroups = { group_id: z.int(), direct_subgroup_ids: z.array(z.int()) };

export const userGroupAdded = event({
  type: "user_group",
  op: "add",
  about: "A group was created.",
  to: "everybody",
  fields: group,
  log: { ...group, deactivated },
  older,
});

/** Deactivation is an update; only older clients get this. */
export const userGroupRemoved = event({
  type: "user_group",
  op: "remove",
  about: "A group was deactivated, for clients without support for deactivated groups.",
  to: "everybody",
  fields: { group_id: z.int() },
});

const change = {
  group_id: z.int(),
  data: z
    .strictObject({
      name: z.string(),
      description: z.string(),
      deactivated: z.boolean(),
      ...groupSettingFields(groupPermissions),
    })
    .partial(),
};

export const userGroupUpdated = event({
  type: "user_group",
  op: "update",
  about: "A group changed: `data` has only the changed fields.",
  to: "everybody",
  fields: change,
  /** Includes the whole group when it is reactivated: older clients did not have it. */
  log: { ...change, deactivated, group: userGroupObject.optional() },
  older: {
    include_deactivated_groups: {
      about:
        "Deactivation is sent as `remove`, reactivation as `add`. Not sent for deactivated groups.",
      becomes: [userGroupRemoved, userGroupAdded],
    },
  },
});

export const userGroupMembersAdded = event({
  type: "user_group",
  op: "add_members",
  about:
    "Accounts became direct members: they were added, created or reactivated, or their role changed.",
  to: "everybody",
  fields: members,
  log: { ...members, deactivated },
  older,
});

export const userGroupMembersRemoved = event({
  type: "user_group",
  op: "remove_members",
  about: "Accounts are no longer direct members.",
  to: "some",
  receivers:
    "all users; when a member is deactivated, only guests who cannot see the account, because other users get the deactivation",
  fields: members,
  log: { ...members, deactivated },
  older,
});

export const userGroupSubgroupsAdded = event({
  type: "user_group",
  op: "add_subgroups",
  about: "Groups became direct subgroups.",
  to: "everybody",
  fields: subgroups,
  log: { ...subgroups, deactivated },
  older,
});

export const userGroupSubgroupsRemoved = event({
  type: "user_group",
  op: "remove_subgroups",
  about: "Groups are no longer direct subgroups.",
  to: "everybody",
  fields: subgroups,
  log: { ...subgroups, deactivated },
  older,
});
