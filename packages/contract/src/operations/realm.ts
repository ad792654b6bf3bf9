import { operation } from "../primitives/operation.ts";
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
    ...groupSettingUpdateParameters(realmPermissions),
  },
  result: {
    ...organizationSettingFields,
    ...someGroupSettingFields(realmPermissions),
  },
  errors: ["EXPECTATION_MISMATCH", "SYSTEM_GROUP_REQUIRED"],
});
