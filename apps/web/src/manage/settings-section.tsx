import { useSignal } from "@preact/signals";
import type { UserGroup } from "@carillon/client";
import { Fragment } from "preact";
import { roles } from "../store/roles.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { FilterField } from "../ui/filter-field.tsx";
import { DomainsField } from "./domains-field.tsx";
import {
  isForOwners,
  type Setting,
  type SettingKind,
  type SettingName,
  settingSections,
} from "./organization-settings.ts";
import { SettingField } from "./setting-field.tsx";
import { useLoaded } from "../ui/use-loaded.ts";

const t = texts.organization;

/** The organization's settings and permissions. Each change is saved by itself. */
export function SettingsSection() {
  const { client, people, me } = useOrganization();
  const groups = useLoaded<UserGroup[]>(
    async () => (await client.listUserGroups()).user_groups,
    ["user_group"],
  );
  const filter = useSignal("");
  const words = filter.value.toLowerCase();
  const role = people.byId.get(me)?.role ?? roles.guest;
  const found = settingSections
    .map(({ title, settings }) => ({
      title,
      settings: (Object.entries(settings) as Array<[SettingName, SettingKind]>)
        .filter(([name]) => `${title}\n${t.settings.names[name]}`.toLowerCase().includes(words))
        .map(([name, kind]): Setting => ({ name, kind })),
    }))
    .filter(({ settings }) => settings.length > 0);
  return (
    <section class="manage-section" aria-label={t.settingsSection}>
      <div class="manage-tools">
        <FilterField
          value={filter.value}
          onInput={(value) => {
            filter.value = value;
          }}
        />
      </div>
      {role > roles.administrator && <p class="hint">{t.settings.onlyAdministrators}</p>}
      {groups.problem !== undefined && <Alert>{groups.problem}</Alert>}
      {found.length === 0 && <p class="empty">{t.nothingFound}</p>}
      {groups.value &&
        found.map(({ title, settings }) => (
          <section key={title} class="settings" aria-label={title}>
            <h3>{title}</h3>
            {settings.map((setting) => (
              <Fragment key={setting.name}>
                <SettingField
                  setting={setting}
                  groups={groups.value ?? []}
                  isAllowed={
                    role <= (isForOwners(setting.name) ? roles.owner : roles.administrator)
                  }
                />
                {setting.name === "emails_restricted_to_domains" && (
                  <DomainsField isAllowed={role <= roles.owner} />
                )}
              </Fragment>
            ))}
          </section>
        ))}
    </section>
  );
}
