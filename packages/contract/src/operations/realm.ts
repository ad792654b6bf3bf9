import { z } from "zod";
import { form } from "../primitives/form.ts";
import { maxId } from "../primitives/ids.ts";
import { operation } from "../primitives/operation.ts";
import { groupSettingUpdateParameters, someGroupSettingFields } from "../permissions/parameters.ts";
import { realmPermissions } from "../permissions/registry.ts";

/** `PATCH /realm` (users.md §5, user-groups.md §3.2). */
export const updateRealm = operation({
  id: "update-realm",
  method: "PATCH",
  path: "/api/v1/realm",
  access: "administrator",
  idempotencyKey: true,
  summary: "Update the organization",
  example: { params: { description: "Our test of Carillon" } },
  description:
    "The answer lists the changes: each permission with its new value, texts as `updated`. The change is atomic.",
  params: {
    name: form.text().optional().describe("1 to 40 characters."),
    description: form.text().optional().describe("At most 1000 characters."),
    waiting_period_threshold: form
      .int({ min: 0, max: maxId })
      .optional()
      .describe("Days until a new member counts as a full one."),
    require_unique_names: form.bool().optional(),
    name_changes_disabled: form.bool().optional(),
    email_changes_disabled: form.bool().optional(),
    ...groupSettingUpdateParameters(realmPermissions),
  },
  result: {
    name: z.literal("updated").optional(),
    description: z.literal("updated").optional(),
    waiting_period_threshold: z.int().optional(),
    require_unique_names: z.boolean().optional(),
    name_changes_disabled: z.boolean().optional(),
    email_changes_disabled: z.boolean().optional(),
    ...someGroupSettingFields(realmPermissions),
  },
  errors: ["EXPECTATION_MISMATCH", "SYSTEM_GROUP_REQUIRED"],
});

/** `GET /realm/emoji` (clients.md §4). */
export const listRealmEmoji = operation({
  id: "list-realm-emoji",
  method: "GET",
  path: "/api/v1/realm/emoji",
  access: "account",
  summary: "Get the organization's own emoji",
  description: "By ID; always empty, because custom emoji are not supported yet.",
  result: { emoji: z.strictObject({}) },
});
