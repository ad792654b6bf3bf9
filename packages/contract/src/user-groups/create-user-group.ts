import { z } from "zod";
import { mostAccounts, mostGroups } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { shape } from "../shape.ts";
import { groupSettingParameters } from "../permissions/parameters.ts";
import { groupPermissions } from "../permissions/registry.ts";

/** `POST /user_groups/create` (user-groups.md §5.4). */
export const createUserGroup = operation({
  id: "create-user-group",
  method: "POST",
  path: "/api/v1/user_groups/create",
  access: "non-guest",
  summary: "Create a user group",
  example: { params: { name: "designers $RANDOM", description: "Who designs", members: [6] } },
  description: "The creator is a member only if listed.",
  params: {
    name: form.text().describe("At most 100 characters, unique among all groups."),
    description: form.text().describe("May be empty."),
    members: form
      .json(z.array(shape.id), { most: mostAccounts })
      .describe("IDs of active users and bots, at most 10,000."),
    subgroups: form
      .json(z.array(shape.id), { most: mostGroups })
      .default([])
      .describe("IDs of groups in use."),
    ...groupSettingParameters(groupPermissions),
  },
  result: { group_id: z.int() },
});
