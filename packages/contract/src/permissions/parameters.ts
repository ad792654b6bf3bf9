import * as z from "zod";
import { form } from "../primitives/form.ts";
import type { Parameter } from "../primitives/parameter.ts";
import {
  groupSettingInput,
  groupSettingUpdate,
  groupSettingValue,
  type GroupSettingUpdate,
  type GroupSettingValue,
} from "./group-setting.ts";
import type { NamesOf, Permission, Permissions } from "./permission.ts";
import { systemGroups } from "./system-groups.ts";

/** A value for each permission, by its name on the wire. */
type Named<Declared extends Permissions, Each> = { readonly [Name in NamesOf<Declared>]: Each };

/** Makes parameters for the permissions of a new object; absent ones get the default. */
export function groupSettingParameters<Declared extends Permissions>(
  permissions: Declared,
): Named<Declared, Parameter<GroupSettingValue | undefined>> {
  return named(permissions, (permission) =>
    form
      .json(groupSettingInput)
      .optional()
      .describe([initially(permission), ...limits(permission)].join(" ")),
  );
}

/** Makes parameters for the permissions of an existing object, in the update form. */
export function groupSettingUpdateParameters<Declared extends Permissions>(
  permissions: Declared,
): Named<Declared, Parameter<GroupSettingUpdate | undefined>> {
  return named(permissions, (permission) => {
    const parameter = form.json(groupSettingUpdate).optional();
    const sentences = limits(permission);
    return sentences.length === 0 ? parameter : parameter.describe(sentences.join(" "));
  });
}

/** Makes fields of an answer for the permissions. */
export function groupSettingFields<Declared extends Permissions>(
  permissions: Declared,
): Named<Declared, typeof groupSettingValue> {
  return named(permissions, () => groupSettingValue);
}

/** Makes optional fields of an answer for the permissions. */
export function someGroupSettingFields<Declared extends Permissions>(
  permissions: Declared,
): Named<Declared, z.ZodOptional<typeof groupSettingValue>> {
  return named(permissions, () => groupSettingValue.optional());
}

/** Takes the permissions from a request, by their names in code. */
export function groupSettingsIn<
  Declared extends Permissions,
  Input extends Readonly<Record<NamesOf<Declared>, unknown>>,
>(permissions: Declared, input: Input): Record<keyof Declared, Input[NamesOf<Declared>]> {
  const entries = Object.entries(permissions).map(([key, { name }]) => [
    key,
    input[name as NamesOf<Declared>],
  ]);
  return Object.fromEntries(entries) as Record<keyof Declared, Input[NamesOf<Declared>]>;
}

function named<Declared extends Permissions, Each>(
  permissions: Declared,
  each: (permission: Permission) => Each,
): Named<Declared, Each> {
  const entries = Object.values(permissions).map((permission) => [
    permission.name,
    each(permission),
  ]);
  return Object.fromEntries(entries) as Named<Declared, Each>;
}

function initially(permission: Permission): string {
  const group = systemGroups.find(({ name }) => name === permission.default);
  return `${group?.description.replace(/,.*/, "") ?? "The creator"} unless given.`;
}

function limits(permission: Permission): string[] {
  const { allowedSystemGroups: allowed, forbiddenSystemGroups: forbidden } = permission;
  return [
    ...(permission.ownersOnly ? ["Only owners may change it."] : []),
    ...(allowed ? [`Takes ${list(allowed)}.`] : []),
    ...(forbidden ? [`Not ${list(forbidden)}.`] : []),
    ...(permission.note === undefined ? [] : [permission.note]),
  ];
}

function list(groups: readonly string[]): string {
  return groups
    .map((group) => `\`${group}\``)
    .join(", ")
    .replace(/, (?=[^,]*$)/, " or ");
}
