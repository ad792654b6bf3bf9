import {
  type Account,
  currentActor,
  holdGroupGraph,
  isOrganizationAdministrator,
  loadRealm,
  personalSettings,
  recordAudit,
} from "@carillon/model";
import { bounds, errors, type PersonalSetting } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { forgetDrafts } from "../drafts/synchronization.ts";
import { settingEvent, type SettingValue } from "./setting-event.ts";
import { storeForOthers } from "./store-for-others.ts";
import { lockTargetPeople, type TargetUsers } from "./target-people.ts";
import { checkLanguage, type OwnSettingsInput } from "./update-own.ts";

/**
 * Changes settings of others on behalf of an administrator, deactivated people too, and tells each of what is new
 * (settings-and-profile-fields.md §1.3). Bots have none, and are passed over.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function updateSettingsOfOthers(
  tx: Tx,
  actor: Account,
  targets: TargetUsers,
  wanted: OwnSettingsInput,
): Promise<void> {
  const { realmId } = actor;
  checkIsAdministrator(actor);
  const values = checkSettings(wanted);
  const [, userIds, realm, now] = await Promise.all([
    holdGroupGraph(tx, realmId),
    lockTargetPeople(tx, realmId, targets),
    loadRealm(tx, realmId),
    currentActor(tx, actor),
  ]);
  checkIsAdministrator(now);
  const names = Object.keys(values);
  if (userIds.length * names.length > bounds.rows)
    throw errors.badRequest(
      `One request cannot change more than ${bounds.rows} settings (people × settings)`,
    );
  const changed = await storeForOthers(tx, realm, userIds, values, targets.skipEdited);
  for (const { name, value, ids } of changed)
    if (name === "enable_drafts_synchronization" && value === false) await forgetDrafts(tx, ids);
  recordAudit(
    tx,
    realmId,
    actor.id,
    changed.map(({ name, count }) => ({
      type: "user_settings_changed",
      data: { setting: name, new: values[name], users: count },
    })),
  );
  emit(
    tx,
    realmId,
    changed.map(({ name, value, ids }) => settingEvent(name, value, ids)),
  );
}

function checkIsAdministrator(account: Account): void {
  if (!isOrganizationAdministrator(account))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
}

/** @throws ApiError `BAD_REQUEST` for what is everybody's own */
function checkSettings({
  settings,
  defaultLanguage,
  ...own
}: OwnSettingsInput): Readonly<Record<string, SettingValue>> {
  if (Object.values(own).some((value) => value !== undefined))
    throw errors.badRequest(
      "Names, addresses, passwords and time zones are everybody's own: send them without target_users",
    );
  if (defaultLanguage !== undefined) checkLanguage(defaultLanguage);
  const declared: Readonly<Record<string, PersonalSetting>> = personalSettings;
  const values: Record<string, SettingValue> = {};
  for (const [name, value] of Object.entries({ ...settings, default_language: defaultLanguage })) {
    if (value === undefined) continue;
    if (declared[name]?.private)
      throw errors.badRequest(`${name} is everybody's own: send it without target_users`);
    values[name] = value;
  }
  return values;
}
