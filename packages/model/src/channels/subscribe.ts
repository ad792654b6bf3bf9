import { column, type RowOf, statement, type Tx } from "@carillon/db";
import { inSlices } from "@carillon/kit";

import { changeAudiences } from "./audience-lock.ts";
import { palette } from "./names.ts";

/** A channel to subscribe to, and the colour asked for. */
interface SubscribeTo {
  readonly channelId: number;
  /** `#rrggbb` in lower case; one that the account does not use yet unless given. */
  readonly color?: string | undefined;
}

/** An account and a channel. */
export interface SubscriptionPair {
  readonly channelId: number;
  readonly userId: number;
}

/** The rows of {@link subscriptionColumns}. */
export const subscriptionRow = {
  channelId: column.int,
  userId: column.int,
  color: column.text,
  isMuted: column.bool,
  pinToTop: column.bool,
  desktopNotifications: column.bool.orNull(),
  audibleNotifications: column.bool.orNull(),
  pushNotifications: column.bool.orNull(),
  emailNotifications: column.bool.orNull(),
  wildcardMentionsNotify: column.bool.orNull(),
};

/** An account's subscription to a channel, with what it wants of it; null inherits the account's own settings. */
export type Subscription = RowOf<typeof subscriptionRow>;

/** Of the table `subscriptions`, called `s`. */
export const subscriptionColumns = `s.channel_id AS "channelId", s.user_id AS "userId", s.color, s.is_muted AS "isMuted",
  s.pin_to_top AS "pinToTop", s.desktop_notifications AS "desktopNotifications",
  s.audible_notifications AS "audibleNotifications", s.push_notifications AS "pushNotifications",
  s.email_notifications AS "emailNotifications", s.wildcard_mentions_notify AS "wildcardMentionsNotify"`;

/** Rows that come back as they were inserted: nobody has changed anything of them yet. */
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
  row: {},
});

/** Rows of the accounts' subscriptions that are looked at for colours that are not used yet. */
const lookedAt = 200_000;

/**
 * The colours that are free are worked out once for all accounts that use the same ones, however many there are and
 * however many channels. Subscriptions that are active are left out at first: a conflict would lock each of their rows.
 * Rows come as JSON, one text for 500, since the driver reads all rows of an answer in one go; without the names of
 * columns where only the colour differs, which they would be ten times as long with.
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
  row: { added: column.text },
});

/** A subscription as it comes back: whole, or as channel, account and colour. */
type Returned = Subscription | readonly [channelId: number, userId: number, color: string];

function wholeSubscription(returned: Returned): Subscription {
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
 * Subscribes every account to every channel: those that the transaction has locked ({@link lockChannels}) or made. A
 * subscription that was there before comes back with its colour and its settings; the channels' counts rise by what
 * really changed (channels.md §12).
 * @param userIds accounts that are active
 * @returns the subscriptions that were not there or not active before
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
    (JSON.parse(slice.added) as Returned[]).map(wholeSubscription),
  );
  const added = parsed.flat();
  await countSubscribers(tx, added, 1);
  return added;
}

const end = statement({
  name: "unsubscribe",
  text: `UPDATE subscriptions SET active = false
    WHERE channel_id = ANY($1::int[]) AND user_id = ANY($2::int[]) AND active
    RETURNING channel_id AS "channelId", user_id AS "userId", is_user_active AS counted`,
  row: { channelId: column.int, userId: column.int, counted: column.bool },
});

/**
 * Unsubscribes every account from every channel: those that the transaction has locked or made. The rows stay.
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
 * One change at a time of who is subscribed to a channel, until the transaction ends, and nobody sends to it meanwhile.
 * Always in the order of ids, so that two requests never wait for each other. What a change is told from has to be read
 * after it: who sees the channel, for one.
 * @param senderIds of accounts that send nothing at all until then
 */
export async function lockChannels(
  tx: Tx,
  channelIds: readonly number[],
  senderIds: readonly number[] = [],
): Promise<void> {
  await Promise.all([
    changeAudiences(tx, channelIds, senderIds),
    channelIds.length > 0 ? lockChannelRows(tx, channelIds) : undefined,
  ]);
}

const lockForCount = statement({
  name: "channels-lock-for-count",
  text: "SELECT FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE",
  row: {},
});

/**
 * The same while others send, for those whom it does not matter to who is subscribed, or who hold the audiences
 * already.
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

/** A subscription that counts, or counts no more. */
interface MarkedSubscription extends SubscriptionPair {
  /** Whether the channel is. */
  readonly isArchived: boolean;
}

/** The keys lead from the organization's channels to one account's rows, ended ones too; no index does. */
const mark = statement({
  name: "subscriptions-mark-active",
  text: `UPDATE subscriptions s SET is_user_active = $3 FROM channels c
    WHERE c.realm_id = $1 AND s.channel_id = c.id AND s.user_id = $2 AND s.is_user_active <> $3
    RETURNING s.channel_id AS "channelId", s.user_id AS "userId", s.active, c.is_archived AS "isArchived"`,
  row: {
    channelId: column.int,
    userId: column.int,
    active: column.bool,
    isArchived: column.bool,
  },
});

const subscribedTo = statement({
  name: "channels-subscribed-to-by",
  text: "SELECT DISTINCT channel_id AS id FROM subscriptions WHERE user_id = ANY($1::int[]) AND active",
  row: { id: column.int },
});

const countOne = statement({
  name: "channels-count-one",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE channels c SET subscriber_count = c.subscriber_count + $2 FROM held WHERE c.id = held.id`,
  row: {},
});

/**
 * Locks every channel that one of the accounts is subscribed to: a change of several accounts takes them in one go.
 * None of the accounts sends anything until the transaction ends.
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
 * Lets an account's subscriptions count, or not, as it is activated or deactivated: the rows stay (users.md §4).
 * @returns the account with each channel that has one subscriber more or less by it, archived ones too
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
