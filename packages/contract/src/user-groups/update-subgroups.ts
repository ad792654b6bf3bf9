import { z } from "zod";
import { mostGroups } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { shape } from "../shape.ts";

const ids = () => form.json(z.array(shape.id), { most: mostGroups }).default([]);

/** `POST /user_groups/{user_group_id}/subgroups` (user-groups.md §5.6). */
export const updateUserGroupSubgroups = operation({
  id: "update-user-group-subgroups",
  method: "POST",
  path: "/api/v1/user_groups/{user_group_id}/subgroups",
  access: "non-guest",
  summary: "Change the subgroups of a user group",
  example: {
    made: { USER_GROUP_ID: ["create-user-group", "group_id"] },
    path: { user_group_id: "$USER_GROUP_ID" },
    params: { add: [3] },
  },
  description: "All of it or nothing. No group can be a part of itself.",
  pathParams: { user_group_id: path.int() },
  params: {
    add: ids().describe("IDs of groups in use that are not direct subgroups."),
    delete: ids().describe("IDs of groups in use that are direct subgroups."),
  },
});
