import { about, bool, int, type OrganizationSetting, text } from "./organization-setting.ts";

/**
 * Every setting of an organization that is not a permission of groups, declared once by its name on the wire (users.md
 * §5): its parameter, column, initial value and who may change it. `PATCH /realm` and its reference page, the event,
 * the audit entries and the snapshot (`realm_` and the name) follow from this table.
 */
export const organizationSettings = {
  name: text(undefined, { max: 40, required: true }),
  description: text("", { max: 1000 }),
  waiting_period_threshold: about("Days until a new member counts as a full one.", int(0)),
  require_unique_names: bool(false),
  name_changes_disabled: bool(false),
  email_changes_disabled: bool(false),
  avatar_changes_disabled: bool(false),
} as const;

export type OrganizationSettingName = keyof typeof organizationSettings;

/** The values of an organization's settings, by their names on the wire. */
export type OrganizationSettings = {
  readonly [
    Name in OrganizationSettingName
  ]: (typeof organizationSettings)[Name] extends OrganizationSetting<infer T> ? T : never;
};

/** Every setting with its name. */
export const namedOrganizationSettings = Object.entries(organizationSettings) as ReadonlyArray<
  readonly [OrganizationSettingName, OrganizationSetting]
>;

/** Returns the initial values of a new organization, except of settings that each is created with. */
export function initialOrganizationSettings(): Partial<OrganizationSettings> {
  return Object.fromEntries(
    namedOrganizationSettings
      .filter(([, { initial }]) => initial !== undefined)
      .map(([name, { initial }]) => [name, initial]),
  );
}
