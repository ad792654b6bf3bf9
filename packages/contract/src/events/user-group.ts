import { z } from "zod";
import { groupSettingFields } from "../permissions/parameters.ts";
import { groupPermissions } from "../permissions/registry.ts";
import { userGroupObject } from "../operations/user-groups.ts";
import { event } from "./event.ts";

/** Marks a group that is deactivated before and after the change: older clients do not know deactivated groups. */
const deactivated = z.literal(true).optional();
const older = {
  include_deactivated_groups: { about: "Nothing is told of a group that is deactivated." },
};
const group = { group: userGroupObject };
const members = { group_id: z.int(), user_ids: z.array(z.int()) };
const subgroups = { group_id: z.int(), direct_subgroup_ids: z.array(z.int()) };

export const userGroupAdded = event({
  type: "user_group",
  op: "add",
  about: "A group is new.",
  to: "everybody",
  fields: group,
  log: { ...group, deactivated },
  older,
});

/** Deactivation is an update; only older clients get this. */
export const userGroupRemoved = event({
  type: "user_group",
  op: "remove",
  about: "A group is deactivated, for clients that do not know deactivated groups.",
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
  about: "Something about a group is different: `data` has only what is.",
  to: "everybody",
  fields: change,
  /** Includes the whole group when it is reactivated: older clients did not have it. */
  log: { ...change, deactivated, group: userGroupObject.optional() },
  older: {
    include_deactivated_groups: {
      about:
        "Deactivation is `remove`, reactivation `add`. Nothing is told of a group that is deactivated.",
      becomes: [userGroupRemoved, userGroupAdded],
    },
  },
});

export const userGroupMembersAdded = event({
  type: "user_group",
  op: "add_members",
  about:
    "Accounts are direct members now: they were added, are new, have another role or are back.",
  to: "everybody",
  fields: members,
  log: { ...members, deactivated },
  older,
});

export const userGroupMembersRemoved = event({
  type: "user_group",
  op: "remove_members",
  about: "Accounts are direct members no more.",
  to: "some",
  receivers:
    "everybody; where a member is deactivated, guests who do not see the account, and are not told that",
  fields: members,
  log: { ...members, deactivated },
  older,
});

export const userGroupSubgroupsAdded = event({
  type: "user_group",
  op: "add_subgroups",
  about: "Groups are direct subgroups now.",
  to: "everybody",
  fields: subgroups,
  log: { ...subgroups, deactivated },
  older,
});

export const userGroupSubgroupsRemoved = event({
  type: "user_group",
  op: "remove_subgroups",
  about: "Groups are direct subgroups no more.",
  to: "everybody",
  fields: subgroups,
  log: { ...subgroups, deactivated },
  older,
});
