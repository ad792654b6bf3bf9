import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { userGroupObject } from "./user-group-object.ts";

/** `GET /user_groups` (user-groups.md §5.1). */
export const listUserGroups = operation({
  id: "list-user-groups",
  method: "GET",
  path: "/api/v1/user_groups",
  access: "non-guest",
  summary: "Get user groups",
  description: "All of the organization, those of the system too, sorted by ID.",
  params: {
    include_deactivated_groups: form.bool().default(false),
  },
  result: { user_groups: z.array(userGroupObject) },
});
