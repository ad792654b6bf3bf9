import * as z from "zod";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { Unusable } from "../primitives/parameter.ts";
import { groupSettingUpdateParameters, someGroupSettingFields } from "../permissions/parameters.ts";
import { realmPermissions } from "../permissions/registry.ts";
import {
  organizationSettingFields,
  organizationSettingParameters,
} from "../settings/organization-parameters.ts";

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
    ...organizationSettingParameters,
    authentication_methods: form
      .json(z.record(z.string(), z.boolean()))
      .optional()
      .describe(
        "Whether each method of `realm_authentication_methods` is on; absent ones are off. At least one must be on. Only owners may change it.",
      ),
    ...groupSettingUpdateParameters(realmPermissions),
  },
  result: {
    ...organizationSettingFields,
    authentication_methods: z.record(z.string(), z.boolean()).optional(),
    ...someGroupSettingFields(realmPermissions),
  },
  errors: ["EXPECTATION_MISMATCH", "SYSTEM_GROUP_REQUIRED"],
});

/** `POST /realm/test_welcome_bot_custom_message` (users.md §5). */
export const testWelcomeMessage = operation({
  id: "test-welcome-message",
  method: "POST",
  path: "/api/v1/realm/test_welcome_bot_custom_message",
  access: "administrator",
  idempotencyKey: true,
  summary: "Try a welcome message",
  example: { params: { welcome_message_custom_text: "Welcome! Say hello in #**general**." } },
  description:
    "The welcome bot sends the text to the caller, as it would send the setting `welcome_message_custom_text` to new people.",
  params: {
    welcome_message_custom_text: form.text().describe("Markdown, 1 to 8000 characters; not blank."),
  },
  result: { message_id: z.int() },
});

/** `POST /realm/deactivate` (users.md §5.2). */
export const deactivateRealm = operation({
  id: "deactivate-realm",
  method: "POST",
  path: "/api/v1/realm/deactivate",
  access: "owner",
  idempotencyKey: true,
  summary: "Deactivate the organization",
  example: {
    params: { deletion_delay_days: 30 },
    refused: [400, "nothing of an organization is ever deleted by itself"],
  },
  description:
    "From then on every request of its accounts is refused. Nothing is deleted. Only an operator can reactivate it (`carillon organization reactivate`).",
  params: {
    deletion_delay_days: form
      .custom<undefined>({
        schema: { type: "null" },
        json: true,
        decode() {
          throw new Unusable("must be absent or null: nothing is deleted by itself");
        },
      })
      .optional()
      .nullMeansAbsent()
      .describe("Absent or null."),
  },
});
