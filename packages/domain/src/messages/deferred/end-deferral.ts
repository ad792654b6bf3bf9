import { errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { endDeferral, isAway, lockAudiences } from "@carillon/model";

/** Maximum subscriptions of several people that one transaction changes: messages to the channels wait for about 0.2 s. */
const subscriptionsAtOnce = 10_000;

const channelsOfAbsent = statement({
  name: "channels-of-absent",
  text: `SELECT s.channel_id AS id, count(*)::int AS count FROM subscriptions s
    WHERE s.user_id = ANY($1::int[]) AND ${isAway} GROUP BY 1 ORDER BY 1`,
});

const lockSubscriptions = statement({
  name: "deferrals-end-lock",
  text: `SELECT FROM subscriptions s WHERE s.channel_id = ANY($1::int[]) AND s.user_id = ANY($2::int[]) AND ${isAway}
    ORDER BY s.channel_id, s.user_id FOR NO KEY UPDATE`,
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
 * @throws ApiError `BAD_REQUEST` if several people have more than `maximum` such subscriptions
 */
export async function endDeferralOf(
  tx: Tx,
  userIds: readonly number[],
  maximum = subscriptionsAtOnce,
): Promise<void> {
  if (userIds.length === 0) return;
  const channels = await tx.rows(channelsOfAbsent, [userIds]);
  if (channels.length === 0) return;
  const subscriptions = channels.reduce((sum, { count }) => sum + count, 0);
  if (subscriptions > maximum && new Set(userIds).size > 1)
    throw errors.badRequest(
      `The people who are away have ${subscriptions} subscriptions, and one request can turn on notifications for ${maximum}: name fewer people`,
    );
  const ids = channels.map(({ id }) => id);
  await lockAudiences(tx, ids);
  await tx.lock({ name: "subscriptions", keys: ids }, lockSubscriptions, [ids, userIds]);
  await tx.rows(end, [ids, userIds]);
}
