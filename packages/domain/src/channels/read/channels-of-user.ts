import {
  type Account,
  accessFactsColumns,
  accessFactsRow,
  hasMetadataAccess,
  loadMemberships,
  loadSight,
  noSuchUser,
} from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import { inSlices } from "@carillon/kit";

const named = statement({
  name: "user-of-channels",
  text: `SELECT id, is_bot AS "isBot" FROM users WHERE realm_id = $1 AND id = $2`,
  row: { id: column.int, isBot: column.bool },
});

const ofUser = statement({
  name: "channels-of-user",
  text: `SELECT c.id, ${accessFactsColumns},
      EXISTS (SELECT FROM subscriptions own WHERE own.channel_id = c.id AND own.user_id = $3 AND own.active) AS "isViewerSubscribed"
    FROM subscriptions s JOIN channels c ON c.id = s.channel_id
    WHERE s.user_id = $2 AND s.active AND s.is_user_active AND c.realm_id = $1 AND NOT c.is_archived
    ORDER BY c.id`,
  row: { id: column.int, ...accessFactsRow, isViewerSubscribed: column.bool },
});

/**
 * Ids of the channels that an account is subscribed to and that the viewer may know of, ascending (channels.md §7);
 * deactivated accounts are subscribed to nothing.
 * @throws ApiError `BAD_REQUEST` when the viewer sees no such account
 */
export async function readChannelsOfUser(
  tx: Tx,
  viewer: Account,
  userId: number,
): Promise<number[]> {
  const [user, channels, memberships, sight] = await Promise.all([
    tx.first(named, [viewer.realmId, userId]),
    tx.rows(ofUser, [viewer.realmId, userId, viewer.id]),
    loadMemberships(tx, [viewer.id]),
    loadSight(tx, viewer),
  ]);
  if (!user || !sight.sees(user)) throw noSuchUser();
  const known = await inSlices(channels, (channel) =>
    hasMetadataAccess(viewer, channel, memberships, channel.isViewerSubscribed) ? [channel.id] : [],
  );
  return known.flat();
}
