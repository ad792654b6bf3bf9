import { statement, type Tx } from "@carillon/db";
import { endDeferral, isAway, lockAudiences } from "@carillon/model";

const channelsOfAbsent = statement({
  name: "channels-of-absent",
  text: `SELECT DISTINCT s.channel_id AS id FROM subscriptions s WHERE s.user_id = ANY($1::int[]) AND ${isAway} ORDER BY 1`,
});

const end = statement({
  name: "deferrals-end",
  text: `UPDATE subscriptions s SET ${endDeferral}
    WHERE s.channel_id = ANY($1::int[]) AND s.user_id = ANY($2::int[]) AND ${isAway}`,
});

/**
 * Ends the deferral of people who stay away: later messages have copies at once, because they notify these people
 * (docs/decisions/083). The copies of earlier messages stay deferred until the people come back. Takes the audience locks of
 * the channels exclusively, so that each message is sent entirely before or entirely after the end. The caller must have
 * locked the accounts, so that no deferral begins.
 */
export async function endDeferralOf(tx: Tx, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  const channels = await tx.rows(channelsOfAbsent, [userIds]);
  if (channels.length === 0) return;
  const ids = channels.map(({ id }) => id);
  await lockAudiences(tx, ids);
  await tx.rows(end, [ids, userIds]);
}
