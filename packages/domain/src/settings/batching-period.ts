import { personalSettings } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

/** Name of the personal setting: seconds from the first missed message to the mail. */
export const periodSetting = "email_notifications_batching_period_seconds";

/** SQL: the batching period of the account, in seconds. @param user alias of a row of `users` */
export function batchingPeriod(user: string): string {
  return `coalesce((${user}.settings->>'${periodSetting}')::int, ${personalSettings[periodSetting].initial})`;
}

const shift = statement({
  name: "missed-mails-shift",
  text: `UPDATE missed_mails d SET due_at = d.since + make_interval(secs => $2) FROM (
      SELECT m.user_id FROM missed_mails m WHERE m.user_id = ANY(ARRAY(SELECT unnest($1::int[]))) AND m.due_at IS NOT NULL
      ORDER BY m.user_id FOR NO KEY UPDATE) held
    WHERE d.user_id = held.user_id`,
});

/**
 * Moves pending mails of accounts whose batching period has changed (settings-and-profile-fields.md §1.3).
 * @param seconds the new period
 */
export async function shiftMissedMails(
  tx: Tx,
  userIds: readonly number[],
  seconds: number,
): Promise<void> {
  await tx.lock({ name: "missedMails", keys: userIds }, shift, [userIds, seconds]);
}
