import type { Notification } from "@carillon/domain";

/** Devices that are told by one call: an intent rarely has as many, and 20 ms go into encrypting for them. */
const mostInCall = 400;

/**
 * A repeated call may have more, up to what a bouncer takes: devices may have come since the first time, and what has
 * been called for once must stay one call.
 */
const mostInRepeatedCall = 500;

/**
 * Splits what is too much for one call. Each part becomes an intent of its own, so that its call has a key of its own, is
 * repeated by itself, and never has what another part has told: had one intent several calls, a device more or less at a
 * repetition would move others from one call to the next, which a bouncer would take for new.
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
  // What is told to nobody needs no call.
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
