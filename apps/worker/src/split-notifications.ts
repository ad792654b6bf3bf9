import type { Notification } from "@carillon/domain";

/** Devices in one call: few intents have as many, and encrypting for them takes 20 ms. */
const mostInCall = 400;

/**
 * Devices in a repeated call, up to a bouncer's limit: devices may have been added since the first call, and the call must
 * not be split after it was made.
 */
const mostInRepeatedCall = 500;

/**
 * Splits an intent that is too large for one call. Each part becomes an intent, so that its call has its own idempotency key
 * and is repeated by itself. With several calls for one intent, a device that is added or removed before a repetition would
 * move other devices to another call, and the bouncer would notify them twice.
 * @param entries of the intent
 * @param notifications in the order of the entries; an entry has no more than an account has devices
 * @param again whether an earlier attempt may have called
 * @returns the entries of each part; undefined where all go into one call
 */
export function splitNotifications<Entry>(
  entries: readonly Entry[],
  notifications: ReadonlyArray<Pick<Notification, "entry">>,
  again: boolean,
): Entry[][] | undefined {
  if (notifications.length <= (again ? mostInRepeatedCall : mostInCall)) return undefined;
  const devices = new Map<number, number>();
  for (const { entry } of notifications) devices.set(entry, (devices.get(entry) ?? 0) + 1);
  const parts: Entry[][] = [];
  let inPart = Number.POSITIVE_INFINITY;
  // An entry without devices needs no call.
  for (const [entry, count] of devices) {
    inPart += count;
    if (inPart > mostInCall) {
      parts.push([]);
      inPart = count;
    }
    parts.at(-1)?.push(entries[entry]!);
  }
  return parts.length > 1 ? parts : undefined;
}
