import {
  type Account,
  type Realm,
  type Site,
  audienceSeeing,
  personUpdated,
  storeSettings,
} from "@carillon/model";
import type { NewEvent } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { forgetDrafts } from "../drafts/synchronization.ts";
import { changeAddressVisibility } from "./address-visibility.ts";
import { settingEvent, type SettingValue } from "./setting-event.ts";

/** New values by their wire names. */
export type SettingChanges = Readonly<Record<string, SettingValue>>;

const storeTimezone = statement({
  name: "timezone-store",
  text: "UPDATE users SET timezone = $2 WHERE id = $1",
  row: {},
});

/**
 * Stores settings that differ from what the account has, each where it is kept: two have a column of their own.
 * @param account as it is now
 * @param changes by their wire names
 * @returns what to tell: the account of every change, the others of what they see
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
  if (timezone !== undefined) await tx.rows(storeTimezone, [account.id, timezone]);
  const { email, events } =
    typeof visibility === "number"
      ? await changeAddressVisibility(tx, site, realm, account, visibility)
      : { email: account.email, events: [] };
  return [
    ...Object.entries(changes).map(([property, value]) =>
      settingEvent(property, value, [account.id]),
    ),
    ...events,
    ...(typeof timezone === "string"
      ? [personUpdated(account.id, { timezone, email }, await audienceSeeing(tx, account))]
      : []),
  ];
}
