import type { Notification } from "@carillon/domain";

/** Maximum number of devices in one call: few intents have more, and encrypting for 400 takes 20 ms. */
const maxPerCall = 400;

/** Notifications that a bouncer accepts in one call. */
const maxAccepted = 500;

/**
 * Reduces a repeated call to what a bouncer accepts, by leaving out the devices that were added last. The call had 400
 * notifications at first, and cannot be split any more.
 */
export function ofOldestDevices<One extends { readonly target: { readonly deviceId: number } }>(
  notifications: readonly One[],
): readonly One[] {
  if (notifications.length <= maxAccepted) return notifications;
  const oldestFirst = notifications.toSorted((a, b) => a.target.deviceId - b.target.deviceId);
  const kept = new Set(oldestFirst.slice(0, maxAccepted));
  return notifications.filter((one) => kept.has(one));
}

/**
 * Splits an intent that is too large for one call. Each part becomes an intent, so that its call has its own idempotency key
 * and is repeated by itself. With several calls for one intent, a device that is added or removed before a repetition would
 * move other devices to another call, and the bouncer would notify them twice.
 * @param entries of the intent
 * @param notifications in the order of the entries; those of one entry go to the devices of one account
 * @returns the entries of each part; undefined if all go into one call
 */
export function splitNotifications<Entry>(
  entries: readonly Entry[],
  notifications: ReadonlyArray<Pick<Notification, "entry">>,
): Entry[][] | undefined {
  if (notifications.length <= maxPerCall) return undefined;
  const devices = new Map<number, number>();
  for (const { entry } of notifications) devices.set(entry, (devices.get(entry) ?? 0) + 1);
  const parts: Entry[][] = [];
  let inPart = Number.POSITIVE_INFINITY;
  // An entry without devices needs no call.
  for (const [entry, count] of devices) {
    inPart += count;
    if (inPart > maxPerCall) {
      parts.push([]);
      inPart = count;
    }
    parts.at(-1)?.push(entries[entry]!);
  }
  return parts.length > 1 ? parts : undefined;
}
