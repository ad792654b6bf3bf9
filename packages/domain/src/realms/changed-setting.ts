import type { LoggedFields, realmUpdated } from "@carillon/contract";

type RealmSettingValue = LoggedFields<typeof realmUpdated>["data"][string];

/** A setting of an organization that has another value by now. */
export interface ChangedSetting {
  /** As on the wire. */
  readonly name: string;
  readonly before: unknown;
  readonly value: RealmSettingValue;
}
