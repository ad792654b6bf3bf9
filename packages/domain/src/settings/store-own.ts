import type { Audience, NewEvent } from "@carillon/contract";
import { notNull, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  loadAccountAudience,
  lockAccountAudience,
  hostOf,
  personUpdated,
  pictureUpdated,
  type Realm,
  rolesSeeingAddress,
  type Site,
  storeSettings,
  visibleToEveryone,
} from "@carillon/model";

import { forgetDrafts } from "../drafts.ts";
import { periodSetting, shiftMissedMails } from "./batching-period.ts";
import { offlineThreshold, presenceEvent, recordPresence } from "../presence.ts";
import { settingEvent, type SettingValue } from "./update-defaults.ts";

/** New values by their wire names. */
export type SettingChanges = Readonly<Record<string, SettingValue>>;

/**
 * Stores changed settings of an account. `timezone` and `email_address_visibility` have their own columns in `users`.
 * @param account in its current state
 * @param changes the settings that differ from the account's, by wire names
 * @returns the events: all changes for the account, visible ones for the others
 */
export async function storeOwnSettings(
  tx: Tx,
  site: Site,
  realm: Realm,
  account: Account,
  changes: SettingChanges,
): Promise<NewEvent[]> {
  const { timezone, email_address_visibility: visibility, ...settings } = changes;
  if (Object.keys(settings).length > 0) await storeSettings(tx, account.id, settings);
  if (settings["enable_drafts_synchronization"] === false) await forgetDrafts(tx, [account.id]);
  if (typeof timezone === "string") {
    const prisma = await tx.prisma();
    await prisma.user.update({
      where: { id: account.id },
      data: { timezone },
      select: { id: true },
    });
  }
  const { email, events } =
    typeof visibility === "number"
      ? await changeAddressVisibility(tx, site, realm, account, visibility)
      : { email: account.email, events: [] };
  const moved =
    typeof timezone === "string"
      ? [personUpdated(account.id, { timezone, email }, await lockAccountAudience(tx, account))]
      : [];
  const period = settings[periodSetting];
  if (typeof period === "number") await shiftMissedMails(tx, [account.id], period);
  return [
    ...Object.entries(changes).map(([property, value]) =>
      settingEvent(property, value, [account.id]),
    ),
    ...events,
    ...moved,
  ];
}

const lastSeen = statement({
  name: "presence-last-seen",
  // In UNIX seconds, with a fraction.
  text: `SELECT extract(epoch FROM now())::float8 AS now, extract(epoch FROM idle_at)::float8 AS idle,
      extract(epoch FROM coalesce(active_at, idle_at))::float8 AS active
    FROM user_presence WHERE user_id = $1 AND idle_at > now() - make_interval(secs => $2)`,
  overrides: { active: notNull, idle: notNull },
});

/**
 * Sends other users the account's presence when it starts or stops showing it (settings-and-profile-fields.md §1.3): as
 * active, or as offline immediately.
 * @param shown the new value of `presence_enabled`, already stored
 */
export async function switchPresence(tx: Tx, account: Account, shown: boolean): Promise<void> {
  if (shown) return recordPresence(tx, account, "active");
  const seen = await tx.first(lastSeen, [account.id, offlineThreshold]);
  if (!seen) return;
  const latestOffline = Math.floor(seen.now) - offlineThreshold - 1;
  emit(tx, account.realmId, [
    presenceEvent(
      account,
      seen.now,
      {
        active: Math.min(Math.floor(seen.active), latestOffline),
        idle: Math.min(Math.floor(seen.idle), latestOffline),
      },
      await loadAccountAudience(tx, account),
    ),
  ]);
}

/**
 * Sets which users can see the account's delivery address, and the resulting visible address (users.md §2).
 * @param account in its current state
 * @returns the visible address and the events: the delivery address, or null, for users whose view of it changes; the
 * visible address and the picture derived from it for all users
 */
async function changeAddressVisibility(
  tx: Tx,
  site: Site,
  realm: Realm,
  account: Account,
  visibility: number,
): Promise<{ email: string; events: NewEvent[] }> {
  const email =
    visibility === visibleToEveryone
      ? account.deliveryEmail
      : `user${account.id}@${hostOf(site, realm)}`;
  const changed = { ...account, email, emailAddressVisibility: visibility };
  const before = rolesSeeingAddress(account);
  const after = rolesSeeingAddress(changed);
  // For any two values, one includes all roles of the other, so roles are either gained or lost.
  const gained = after.filter((role) => !before.includes(role));
  const lost = before.filter((role) => !after.includes(role));
  const audience = await lockAccountAudience(tx, account);
  const prisma = await tx.prisma();
  await prisma.user.update({
    where: { id: account.id },
    data: { emailAddressVisibility: visibility, email },
    select: { id: true },
  });
  const concerned = await othersWithRole(tx, account, [...gained, ...lost], audience);
  const shown = gained.length > 0 ? account.deliveryEmail : null;
  const events = [
    ...(concerned ? [personUpdated(account.id, { delivery_email: shown }, concerned)] : []),
    ...(email === account.email ? [] : [personUpdated(account.id, { new_email: email }, audience)]),
    // Also sent if no user gains or loses the delivery address: clients compute the picture from the visible address.
    ...((concerned || email !== account.email) && account.avatarSource === "G"
      ? [pictureUpdated(changed, audience)]
      : []),
  ];
  return { email, events };
}

const ofRoles = statement({
  name: "others-of-roles",
  text: `SELECT array_agg(id)::text AS ids FROM users
    WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL AND role = ANY($2::int[]) AND id <> $3
      AND ($4::int[] IS NULL OR id = ANY($4::int[]))`,
});

/**
 * Returns the active accounts other than `account` that have one of the roles and are in the audience, as a PostgreSQL
 * array literal; undefined if there are none.
 * @param among null for all accounts of the organization
 */
async function othersWithRole(
  tx: Tx,
  account: Account,
  roles: readonly number[],
  among: Audience,
): Promise<string | undefined> {
  const found = await tx.first(ofRoles, [account.realmId, roles, account.id, among]);
  return found?.ids ?? undefined;
}
