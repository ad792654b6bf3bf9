import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

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
    direct_subgroup_only: form.bool().default(false).describe("Without subgroups of subgroups."),
  },
  result: {
    /** IDs of groups, ascending. */
    subgroups: z.array(z.int()),
  },
});
