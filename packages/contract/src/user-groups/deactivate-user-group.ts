import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `POST /user_groups/{user_group_id}/deactivate` (user-groups.md §5.3). */
export const deactivateUserGroup = operation({
  id: "deactivate-user-group",
  method: "POST",
  path: "/api/v1/user_groups/{user_group_id}/deactivate",
  access: "non-guest",
  summary: "Deactivate a user group",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID" },
  },
  description:
    "For those who manage the group. A group that a setting uses, or that is a subgroup, stays: `objections` lists its uses.",
  pathParams: { user_group_id: path.int() },
  errors: ["CANNOT_DEACTIVATE_GROUP_IN_USE"],
});
