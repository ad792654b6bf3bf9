import { z } from "zod";
import { mostAccounts, mostGroups, type Most } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { shape } from "../shape.ts";

const ids = (most: Most) => form.json(z.array(shape.id), { most }).default([]);

/** `POST /user_groups/{user_group_id}/members` (user-groups.md §5.5). */
export const updateUserGroupMembers = operation({
  id: "update-user-group-members",
  method: "POST",
  path: "/api/v1/user_groups/{user_group_id}/members",
  access: "non-guest",
  summary: "Change the members of a user group",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID" },
    params: { add: [5] },
  },
  description: "All of it or nothing, in the order of the parameters; people concerned are told.",
  pathParams: { user_group_id: path.int() },
  params: {
    add: ids(mostAccounts).describe("IDs of active users who are not direct members."),
    delete: ids(mostAccounts).describe("IDs of active users who are direct members."),
    add_subgroups: ids(mostGroups),
    delete_subgroups: ids(mostGroups),
  },
});
