import * as z from "zod";
import { type ItemLimit, maxAccounts, maxGroups } from "../primitives/bounds.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import {
  groupSettingFields,
  groupSettingParameters,
  groupSettingUpdateParameters,
} from "../permissions/parameters.ts";
import { groupPermissions } from "../permissions/registry.ts";
import { shape } from "../primitives/shape.ts";

/** A user group in answers (user-groups.md §5); lists are in ascending order. */
export const userGroupObject = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  /** UNIX seconds; null if unknown. */
  date_created: z.int().nullable(),
  creator_id: z.int().nullable(),
  /** Active direct members. */
  members: z.array(z.int()),
  direct_subgroup_ids: z.array(z.int()),
  is_system_group: z.boolean(),
  deactivated: z.boolean(),
  ...groupSettingFields(groupPermissions),
});
export type UserGroupObject = z.infer<typeof userGroupObject>;

/** `GET /user_groups` (user-groups.md §5.1). */
export const listUserGroups = operation({
  id: "list-user-groups",
  method: "GET",
  path: "/api/v1/user_groups",
  access: "non-guest",
  summary: "Get user groups",
  description: "All of the organization, including system groups, sorted by ID.",
  params: {
    include_deactivated_groups: form.bool().default(false),
  },
  result: { user_groups: z.array(userGroupObject) },
});

/** `POST /user_groups/create` (user-groups.md §5.4). */
export const createUserGroup = operation({
  id: "create-user-group",
  method: "POST",
  path: "/api/v1/user_groups/create",
  access: "non-guest",
  idempotencyKey: true,
  summary: "Create a user group",
  example: { params: { name: "designers $RANDOM", description: "Who designs", members: [6] } },
  description: "The creator is a member only if listed.",
  params: {
    name: form.text().describe("At most 100 characters, unique among all groups."),
    description: form.text().describe("May be empty."),
    members: form
      .json(z.array(shape.id), { maxItems: maxAccounts })
      .describe("IDs of active users and bots, at most 10,000."),
    subgroups: form
      .json(z.array(shape.id), { maxItems: maxGroups })
      .default([])
      .describe("IDs of active groups."),
    ...groupSettingParameters(groupPermissions),
  },
  result: { group_id: z.int() },
});

/** `PATCH /user_groups/{user_group_id}` (user-groups.md §5.2). */
export const updateUserGroup = operation({
  id: "update-user-group",
  method: "PATCH",
  path: "/api/v1/user_groups/{user_group_id}",
  access: "non-guest",
  idempotencyKey: true,
  summary: "Update a user group",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID" },
    params: { description: "Who draws and who writes" },
  },
  description:
    "For accounts that may manage the group. The change is atomic. Deactivated groups can be changed, too.",
  pathParams: { user_group_id: path.int() },
  params: {
    name: form.text().optional().describe("At most 100 characters, unique among all groups."),
    description: form.text().optional(),
    deactivated: form
      .bool()
      .optional()
      .describe("`false` reactivates the group; `true` has no effect."),
    ...groupSettingUpdateParameters(groupPermissions),
  },
  errors: ["EXPECTATION_MISMATCH"],
});

/** `POST /user_groups/{user_group_id}/deactivate` (user-groups.md §5.3). */
export const deactivateUserGroup = operation({
  id: "deactivate-user-group",
  method: "POST",
  path: "/api/v1/user_groups/{user_group_id}/deactivate",
  access: "non-guest",
  idempotencyKey: true,
  summary: "Deactivate a user group",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID" },
  },
  description:
    "For accounts that may manage the group. A group that a setting uses, or that is a subgroup, cannot be deactivated: `objections` lists its uses.",
  pathParams: { user_group_id: path.int() },
  errors: ["CANNOT_DEACTIVATE_GROUP_IN_USE"],
});

/** `DELETE /user_groups/{user_group_id}`, the older spelling (user-groups.md §5.3). */
export const removeUserGroup = operation({
  id: "remove-user-group",
  method: "DELETE",
  path: "/api/v1/user_groups/{user_group_id}",
  access: "non-guest",
  idempotencyKey: true,
  summary: "Deactivate a user group (older spelling)",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID" },
  },
  description:
    "The same as `POST /user_groups/{user_group_id}/deactivate`: older programs call it. Groups are never deleted.",
  pathParams: { user_group_id: path.int() },
  errors: ["CANNOT_DEACTIVATE_GROUP_IN_USE"],
});

/** `GET /user_groups/{user_group_id}/members/{user_id}` (user-groups.md §5.7). */
export const getUserGroupMembership = operation({
  id: "get-user-group-membership",
  method: "GET",
  path: "/api/v1/user_groups/{user_group_id}/members/{user_id}",
  access: "non-guest",
  summary: "Check whether a user is in a user group",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID", user_id: 6 },
  },
  pathParams: { user_group_id: path.int(), user_id: path.int() },
  params: {
    direct_member_only: form.bool().default(false).describe("Not counting subgroups."),
  },
  result: { is_user_group_member: z.boolean() },
});

/** `GET /user_groups/{user_group_id}/members` (user-groups.md §5.7). */
export const listUserGroupMembers = operation({
  id: "list-user-group-members",
  method: "GET",
  path: "/api/v1/user_groups/{user_group_id}/members",
  access: "non-guest",
  summary: "Get the members of a user group",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID" },
  },
  pathParams: { user_group_id: path.int() },
  params: {
    direct_member_only: form
      .bool()
      .default(false)
      .describe("Whether to omit members of subgroups."),
  },
  result: {
    /** IDs of active accounts, ascending. */
    members: z.array(z.int()),
  },
});

const ids = (maxItems: ItemLimit) => form.json(z.array(shape.id), { maxItems }).default([]);

/** `POST /user_groups/{user_group_id}/members` (user-groups.md §5.5). */
export const updateUserGroupMembers = operation({
  id: "update-user-group-members",
  method: "POST",
  path: "/api/v1/user_groups/{user_group_id}/members",
  access: "non-guest",
  idempotencyKey: true,
  summary: "Change the members of a user group",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID" },
    params: { add: [5] },
  },
  description:
    "The change is atomic and applies the parameters in this order. Added and removed people get a notice.",
  pathParams: { user_group_id: path.int() },
  params: {
    add: ids(maxAccounts).describe("IDs of active users who are not direct members."),
    delete: ids(maxAccounts).describe("IDs of active users who are direct members."),
    add_subgroups: ids(maxGroups),
    delete_subgroups: ids(maxGroups),
  },
});

/** `GET /user_groups/{user_group_id}/subgroups` (user-groups.md §5.7). */
export const listUserGroupSubgroups = operation({
  id: "list-user-group-subgroups",
  method: "GET",
  path: "/api/v1/user_groups/{user_group_id}/subgroups",
  access: "non-guest",
  summary: "Get the subgroups of a user group",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID" },
  },
  pathParams: { user_group_id: path.int() },
  params: {
    direct_subgroup_only: form
      .bool()
      .default(false)
      .describe("Whether to omit subgroups of subgroups."),
  },
  result: {
    /** IDs of groups, ascending. */
    subgroups: z.array(z.int()),
  },
});

/** `POST /user_groups/{user_group_id}/subgroups` (user-groups.md §5.6). */
export const updateUserGroupSubgroups = operation({
  id: "update-user-group-subgroups",
  method: "POST",
  path: "/api/v1/user_groups/{user_group_id}/subgroups",
  access: "non-guest",
  idempotencyKey: true,
  summary: "Change the subgroups of a user group",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID" },
    params: { add: [3] },
  },
  description: "The change is atomic. A group cannot contain itself.",
  pathParams: { user_group_id: path.int() },
  params: {
    add: ids(maxGroups).describe("IDs of active groups that are not direct subgroups."),
    delete: ids(maxGroups).describe("IDs of active groups that are direct subgroups."),
  },
});
