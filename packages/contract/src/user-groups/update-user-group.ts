import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { groupSettingUpdateParameters } from "../permissions/parameters.ts";
import { groupPermissions } from "../permissions/registry.ts";

/** `PATCH /user_groups/{user_group_id}` (user-groups.md §5.2). */
export const updateUserGroup = operation({
  id: "update-user-group",
  method: "PATCH",
  path: "/api/v1/user_groups/{user_group_id}",
  access: "non-guest",
  summary: "Update a user group",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID" },
    params: { description: "Who draws and who writes" },
  },
  description:
    "For those who manage the group. Everything is changed or nothing; deactivated groups can be changed too.",
  pathParams: { user_group_id: path.int() },
  params: {
    name: form.text().optional().describe("At most 100 characters, unique among all groups."),
    description: form.text().optional(),
    deactivated: form.bool().optional().describe("`false` reactivates; `true` does nothing."),
    ...groupSettingUpdateParameters(groupPermissions),
  },
  errors: ["EXPECTATION_MISMATCH"],
});
