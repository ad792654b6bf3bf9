import {
  errors,
  type GroupSettingUpdate,
  type GroupSettingValue,
  type Permission,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { checkGroupSettings } from "./check-group-setting.ts";
import { canonicalGroupValue, sameGroupValue, sortedGroupValue } from "./group-setting.ts";

/** An update that somebody asks for. */
export interface AskedUpdate {
  readonly permission: Permission;
  readonly update: GroupSettingUpdate;
  /** Its group setting as it goes out, read under the lock that the write needs. */
  readonly current: GroupSettingValue;
}

/**
 * Checks updates one after the other: what `old` expects first, whatever `new` is; then, unless `new` is the value
 * already, whether `new` will do.
 * @param nobodyId the system group that an empty set stands for
 * @returns the updates that change something, each with its new value in canonical form
 * @throws ApiError `EXPECTATION_MISMATCH`, `BAD_REQUEST` or `SYSTEM_GROUP_REQUIRED`, for the first that is refused
 */
export async function checkGroupSettingUpdates<Asked extends AskedUpdate>(
  tx: Tx,
  realmId: number,
  nobodyId: number,
  asked: readonly Asked[],
): Promise<Array<Asked & { readonly value: GroupSettingValue }>> {
  const mismatch = asked.findIndex(
    ({ update, current }) => update.old !== undefined && !isExpected(update.old, current, nobodyId),
  );
  const changes = asked.slice(0, mismatch < 0 ? asked.length : mismatch).flatMap((each) => {
    const value = canonicalGroupValue(each.update.new, nobodyId);
    return sameGroupValue(value, each.current) ? [] : [{ ...each, value }];
  });
  await checkGroupSettings(tx, realmId, changes);
  if (mismatch >= 0) throw errors.expectationMismatch("old");
  return changes;
}

/** A set whose accounts are all deactivated goes out empty: it is expected under that form, too. */
function isExpected(old: GroupSettingValue, current: GroupSettingValue, nobodyId: number): boolean {
  return (
    sameGroupValue(canonicalGroupValue(old, nobodyId), current) ||
    sameGroupValue(sortedGroupValue(old), current)
  );
}
