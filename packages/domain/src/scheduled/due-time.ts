import type { Realm } from "@carillon/model";
import { errors } from "@carillon/contract";

/** The last second of the year 9999. */
export const latestDueTime = 253_402_300_799;

/**
 * Checks that a time may be scheduled.
 * @param timestamp UNIX seconds
 * @throws ApiError `BAD_REQUEST` if it is not in the future by the database's clock, or after {@link latestDueTime}
 */
export function checkDueTime(timestamp: number, realm: Realm): void {
  if (timestamp <= realm.now)
    throw errors.badRequest("scheduled_delivery_timestamp must be in the future");
  if (timestamp > latestDueTime)
    throw errors.badRequest(
      `scheduled_delivery_timestamp must not be beyond ${latestDueTime}, the year 9999`,
    );
}
