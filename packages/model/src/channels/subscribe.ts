import { statement, type Tx } from "@carillon/db";
import { inSlices } from "@carillon/kit";

import { lockAudiences } from "./audience-lock.ts";
import { endDeferral } from "./deferred-sql.ts";
import { palette } from "./names.ts";

/** A channel to subscribe to, with the requested colour. */
interface SubscribeTo {
  readonly channelId: number;
  /** `#rrggbb` in lower case; default: a colour that the account does not use yet. */
  readonly color?: string | undefined;
}

/** An account and a channel. */
export interface SubscriptionPair {
  readonly channelId: number;
  readonly userId: number;
}

/** An account's subscription to a channel with its properties; null inherits the account's settings. */
export interface Subscription {
  readonly channelId: number;
  readonly userId: number;
  readonly color: string;
  readonly isMuted: boolean;
  readonly pinToTop: boolean;
  readonly desktopNotifications: boolean | null;
  readonly audibleNotifications: boolean | null;
  readonly pushNotifications: boolean | null;
  readonly emailNotifications: boolean | null;
  readonly wildcardMentionsNotify: boolean | null;
}

/** SQL: columns of the table `subscriptions`, called `s`. */
export const subscriptionColumns = `s.channel_id AS "channelId", s.user_id AS "userId", s.color, s.is_muted AS "isMuted",
  s.pin_to_top AS "pinToTop", s.desktop_notifications AS "desktopNotifications",
  s.audible_notifications AS "audibleNotifications", s.push_notifications AS "pushNotifications",
  s.email_notifications AS "emailNotifications", s.wildcard_mentions_notify AS "wildcardMentionsNotify"`;

/** SQL: whether a returned row has only default properties. */
const untouched = `NOT "isMuted" AND NOT "pinToTop" AND num_nonnulls("desktopNotifications", "audibleNotifications",
  "pushNotifications", "emailNotifications", "wildcardMentionsNotify") = 0`;

const count = statement({
  name: "channels-count",
  text: `WITH change AS (
      SELECT id, $2 * count(*)::int AS n FROM unnest($1::int[]) AS id GROUP BY id
    ), held AS MATERIALIZED (
      SELECT id FROM channels WHERE id IN (SELECT id FROM change) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE channels c SET subscriber_count = c.subscriber_count + change.n
    FROM held JOIN change USING (id) WHERE c.id = held.id`,
});

/** Maximum subscriptions of all accounts together that are examined for unused colours. */
const lookedAt = 200_000;

/**
 * Subscribes accounts to channels. The unused colours are computed once for all accounts that use the same ones,
 * however many accounts and channels there are. Active subscriptions are filtered out first, because ON CONFLICT would
 * lock each of their rows. Rows are returned as JSON, one text for 500 rows, because the driver parses all rows of a
 * result at once; without keys if only the colour differs, because keys would make them ten times as long.
 */
const insert = statement({
  name: "subscribe",
  text: `WITH used AS MATERIALIZED (
      SELECT u.id AS user_id, coalesce(bit_or(1::bigint << array_position($4::text[], s.color)), 0) AS colors
      FROM unnest($3::int[]) AS u (id) LEFT JOIN LATERAL (
        SELECT s.color FROM subscriptions s WHERE s.user_id = u.id AND s.active LIMIT $5
      ) s ON true GROUP BY u.id
    ), free AS MATERIALIZED (
      SELECT used.colors AS used, array(
        SELECT p.color FROM unnest($4::text[]) WITH ORDINALITY AS p (color, ord)
        WHERE used.colors & (1::bigint << p.ord::int) = 0 ORDER BY p.ord
      ) AS colors
      FROM (SELECT DISTINCT colors FROM used) used
    ), added AS (
    INSERT INTO subscriptions AS s (channel_id, user_id, color)
    SELECT c.id, used.user_id,
      coalesce(c.color, free.colors[c.ord], ($4::text[])[1 + (c.id % cardinality($4::text[]))])
    FROM unnest($1::int[], $2::text[]) WITH ORDINALITY AS c (id, color, ord),
      used JOIN free ON free.used = used.colors
    WHERE NOT EXISTS (
      SELECT FROM subscriptions s WHERE s.channel_id = c.id AND s.user_id = used.user_id AND s.active
    )
    ORDER BY c.id, used.user_id
    ON CONFLICT (channel_id, user_id) DO UPDATE SET active = true, is_user_active = true
      WHERE NOT s.active
    RETURNING ${subscriptionColumns}
    )
    SELECT json_agg(CASE WHEN ${untouched} THEN json_build_array("channelId", "userId", color)
        ELSE to_json(each) END)::text AS added
    FROM (SELECT added.*, (row_number() OVER () - 1) / 500 AS slice FROM added) each GROUP BY slice ORDER BY slice`,
});

/** A returned subscription: complete, or as channel, account and colour. */
type Returned = Subscription | readonly [channelId: number, userId: number, color: string];

function toSubscription(returned: Returned): Subscription {
  if (!("length" in returned)) return returned;
  const [channelId, userId, color] = returned;
  return {
    channelId,
    userId,
    color,
    isMuted: false,
    pinToTop: false,
    desktopNotifications: null,
    audibleNotifications: null,
    pushNotifications: null,
    emailNotifications: null,
    wildcardMentionsNotify: null,
  };
}

/**
 * Subscribes every account to every channel. The transaction must have locked ({@link lockChannels}) or created the
 * channels. A former subscription keeps its colour and settings. Subscriber counts grow by the subscriptions that
 * actually changed (channels.md §12).
 * @param userIds active accounts
 * @returns the subscriptions that are new or active again
 */
export async function subscribe(
  tx: Tx,
  channels: readonly SubscribeTo[],
  userIds: readonly number[],
): Promise<Subscription[]> {
  if (channels.length === 0 || userIds.length === 0) return [];
  const slices = await tx.rows(insert, [
    channels.map(({ channelId }) => channelId),
    channels.map(({ color }) => color ?? null),
    userIds,
    palette,
    Math.max(palette.length, Math.floor(lookedAt / userIds.length)),
  ]);
  const parsed = await inSlices(slices, (slice) =>
    (JSON.parse(slice.added) as Returned[]).map(toSubscription),
  );
  const added = parsed.flat();
  await countSubscribers(tx, added, 1);
  return added;
}

/** Ends subscriptions. Deferred copies will be made as read; a job marks the existing ones as read (channels.md §11). */
const end = statement({
  name: "unsubscribe",
  text: `UPDATE subscriptions SET active = false, ${endDeferral}, deferred_read = deferred_after IS NOT NULL
    WHERE channel_id = ANY($1::int[]) AND user_id = ANY($2::int[]) AND active
    RETURNING channel_id AS "channelId", user_id AS "userId", is_user_active AS counted`,
});

/**
 * Unsubscribes every account from every channel; the rows stay. The transaction must have locked or created the
 * channels.
 * @returns the pairs that were subscribed
 */
export async function unsubscribe(
  tx: Tx,
  channelIds: readonly number[],
  userIds: readonly number[],
): Promise<SubscriptionPair[]> {
  const removed = await tx.rows(end, [channelIds, userIds]);
  await countSubscribers(
    tx,
    removed.filter(({ counted }) => counted),
    -1,
  );
  return removed.map(({ channelId, userId }) => ({ channelId, userId }));
}

/**
 * Locks channels to change their subscriptions, until the transaction ends; blocks sends to them too. Ordered by id to
 * prevent deadlocks. Read what the events depend on, such as the channel's audience, after locking.
 * @param senderIds accounts that cannot send anything meanwhile
 */
export async function lockChannels(
  tx: Tx,
  channelIds: readonly number[],
  senderIds: readonly number[] = [],
): Promise<void> {
  await Promise.all([
    lockAudiences(tx, channelIds, senderIds),
    channelIds.length > 0 ? lockChannelRows(tx, channelIds) : undefined,
  ]);
}

const lockForCount = statement({
  name: "channels-lock-for-count",
  text: "SELECT FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE",
});

/**
 * Locks only the channels' rows, which does not block sends: for changes that do not depend on subscriptions, or if the
 * audience locks are already held.
 */
export async function lockChannelRows(tx: Tx, channelIds: readonly number[]): Promise<void> {
  if (channelIds.length === 0) return;
  await tx.lock({ name: "channels", keys: channelIds }, lockForCount, [channelIds]);
}

async function countSubscribers(
  tx: Tx,
  pairs: readonly SubscriptionPair[],
  sign: 1 | -1,
): Promise<void> {
  if (pairs.length === 0) return;
  const ids = pairs.map(({ channelId }) => channelId);
  await tx.lock({ name: "channels", keys: ids }, count, [ids, sign]);
}

/** A subscription that starts or stops counting. */
interface MarkedSubscription extends SubscriptionPair {
  /** Whether the channel is archived. */
  readonly isArchived: boolean;
}

/**
 * Looks up the account's rows, including ended ones, by key for each of the organization's channels, because no index
 * leads from an account to them.
 */
const mark = statement({
  name: "subscriptions-mark-active",
  text: `UPDATE subscriptions s SET is_user_active = $3, ${endDeferral} FROM channels c
    WHERE c.realm_id = $1 AND s.channel_id = c.id AND s.user_id = $2 AND s.is_user_active <> $3
    RETURNING s.channel_id AS "channelId", s.user_id AS "userId", s.active, c.is_archived AS "isArchived"`,
});

const subscribedTo = statement({
  name: "channels-subscribed-to-by",
  text: "SELECT DISTINCT channel_id AS id FROM subscriptions WHERE user_id = ANY($1::int[]) AND active",
});

const countOne = statement({
  name: "channels-count-one",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE channels c SET subscriber_count = c.subscriber_count + $2 FROM held WHERE c.id = held.id`,
});

/**
 * Locks all channels to which one of the accounts is subscribed, so that a change of several accounts takes all locks
 * at once. The accounts cannot send anything until the transaction ends.
 */
export async function lockChannelsOf(
  tx: Tx,
  accounts: ReadonlyArray<{ readonly id: number }>,
): Promise<void> {
  const ids = accounts.map(({ id }) => id);
  const subscribed = await tx.rows(subscribedTo, [ids]);
  await lockChannels(
    tx,
    subscribed.map((channel) => channel.id),
    ids,
  );
}

/**
 * Includes an account's subscriptions in the subscriber counts when it is activated, and excludes them when it is
 * deactivated; the rows stay (users.md §4).
 * @returns the account with each channel whose subscriber count changes, including archived ones
 */
export async function markSubscriber(
  tx: Tx,
  { id, realmId }: { readonly id: number; readonly realmId: number },
  active: boolean,
): Promise<MarkedSubscription[]> {
  await lockChannelsOf(tx, [{ id }]);
  const rows = await tx.rows(mark, [realmId, id, active]);
  const pairs = rows
    .filter((row) => row.active)
    .map(({ channelId, userId, isArchived }) => ({ channelId, userId, isArchived }));
  const channelIds = pairs.map(({ channelId }) => channelId);
  if (pairs.length > 0)
    await tx.lock({ name: "channels", keys: channelIds }, countOne, [channelIds, active ? 1 : -1]);
  return pairs;
}
