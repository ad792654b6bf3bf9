import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

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
    direct_member_only: form.bool().default(false).describe("Without those of subgroups."),
  },
  result: {
    /** IDs of active accounts, ascending. */
    members: z.array(z.int()),
  },
});
