import {
  type Audience,
  type LoggedFields,
  type NewEvent,
  ownSettingUpdated,
  settingsDefaultUpdated,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  administerOrganization,
  languageName,
  loadRealmDefaults,
  recordAudit,
} from "@carillon/model";

/**
 * Changes the default settings of new accounts (settings-and-profile-fields.md §1.2), and sends the changes to all
 * users. Existing accounts keep their settings.
 * @param wanted by wire names, with allowed values; undefined for no change
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`
 */
export async function updateSettingsDefaults(
  tx: Tx,
  actor: Account,
  wanted: Readonly<Record<string, SettingValue | undefined>>,
): Promise<void> {
  const { realmId } = actor;
  await administerOrganization(tx, actor);
  const before = await loadRealmDefaults(tx, realmId);
  const changes = Object.entries(wanted).flatMap(([name, value]) =>
    value === undefined || value === before[name] ? [] : [{ name, value }],
  );
  if (changes.length === 0) return;
  const settings = {
    ...before,
    ...Object.fromEntries(changes.map(({ name, value }) => [name, value])),
  };
  const prisma = await tx.prisma();
  await prisma.realmUserDefaults.upsert({
    where: { realmId },
    create: { realmId, settings },
    update: { settings },
    select: { realmId: true },
  });
  recordAudit(
    tx,
    realmId,
    actor.id,
    changes.map(({ name, value }) => ({
      type: "realm_user_default_changed",
      data: { setting: name, old: before[name], new: value },
    })),
  );
  emit(
    tx,
    realmId,
    changes.map(({ name, value }) => settingsDefaultUpdated({ property: name, value })),
  );
}

export type SettingValue = LoggedFields<typeof ownSettingUpdated>["value"];

/** Makes the event of a changed setting; a language includes its name. */
export function settingEvent(property: string, value: SettingValue, audience: Audience): NewEvent {
  const language = property === "default_language" ? languageName(String(value)) : undefined;
  return ownSettingUpdated(
    { property, value, ...(language === undefined ? {} : { language_name: language }) },
    { audience },
  );
}
