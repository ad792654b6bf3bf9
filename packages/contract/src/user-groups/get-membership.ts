import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /user_groups/{user_group_id}/members/{user_id}` (user-groups.md §5.7). */
export const getUserGroupMembership = operation({
  id: "get-user-group-membership",
  method: "GET",
  path: "/api/v1/user_groups/{user_group_id}/members/{user_id}",
  access: "non-guest",
  summary: "Tell whether a user is in a user group",
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
