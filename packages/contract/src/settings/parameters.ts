import { form } from "../primitives/form.ts";
import { oneInteger } from "../primitives/one-integer.ts";
import type { Parameter } from "../primitives/parameter.ts";
import {
  personalSettings,
  type PersonalSetting,
  type SettingName,
  type SettingValue,
} from "./registry.ts";

/** One optional parameter for each personal setting, with the setting's type and its allowed values. */
export type SettingParameters = {
  readonly [Name in SettingName]: Parameter<SettingValue<Name> | undefined>;
};

const declared = Object.entries<PersonalSetting>(personalSettings);

/** Parameters for every personal setting. */
export const settingParameters = Object.fromEntries(
  declared.map(([name, setting]) => [name, parameterOf(setting).optional()]),
) as SettingParameters;

/** Parameters for every setting that has a default in the organization. */
export const defaultSettingParameters: Readonly<
  Record<string, Parameter<boolean | number | string | undefined>>
> = Object.fromEntries(
  declared
    .filter(([, { realmDefault }]) => realmDefault)
    .map(([name, setting]) => [name, parameterOf(setting).optional()]),
);

function parameterOf({
  initial,
  allowed,
  range,
}: PersonalSetting): Parameter<boolean | number | string> {
  if (typeof initial === "boolean") return form.bool();
  if (typeof initial === "number") return allowed ? oneInteger(allowed) : form.int(range);
  const [first = initial, ...others] = (allowed ?? []).map(String);
  return form.oneOf(first, ...others);
}
