import type * as z from "zod";
import type { Parameter } from "../primitives/parameter.ts";
import {
  namedOrganizationSettings,
  type OrganizationSettingChanges,
  type OrganizationSettingName,
  type OrganizationSettings,
} from "./organization-registry.ts";
import type { OrganizationSetting } from "./organization-setting.ts";

/** One optional parameter for each setting of the organization. */
export const organizationSettingParameters = each(({ parameter, ownersOnly }) => {
  const { description } = parameter.presence;
  const sentences = [description, ownersOnly && "Only owners may change it."].filter(Boolean);
  const optional = parameter.optional();
  return sentences.length === 0 ? optional : optional.describe(sentences.join(" "));
}) as {
  readonly [Name in OrganizationSettingName]: Parameter<OrganizationSettings[Name] | undefined>;
};

/** One optional field of the answer for each setting of the organization. */
export const organizationSettingFields = each(({ answer }) => answer.optional()) as {
  readonly [Name in OrganizationSettingName]: z.ZodOptional<z.ZodType>;
};

function each<T>(of: (setting: OrganizationSetting) => T): object {
  return Object.fromEntries(
    namedOrganizationSettings.map(([name, setting]) => [name, of(setting)]),
  );
}

/** Takes the settings of the organization from a request. */
export function organizationSettingsIn(
  input: OrganizationSettingChanges,
): OrganizationSettingChanges {
  return Object.fromEntries(namedOrganizationSettings.map(([name]) => [name, input[name]]));
}
