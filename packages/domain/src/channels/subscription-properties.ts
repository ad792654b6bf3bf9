import { errors, type NewEvent, subscriptionUpdated } from "@carillon/contract";
import { type RowOf, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  lockAudiencesShared,
  normaliseColor,
  noSuchChannel,
  subscriptionColumns,
  loadAfter,
} from "@carillon/model";

/** The boolean properties of a subscription: wire names and the names in the model. */
const switches = {
  is_muted: "isMuted",
  pin_to_top: "pinToTop",
  desktop_notifications: "desktopNotifications",
  audible_notifications: "audibleNotifications",
  push_notifications: "pushNotifications",
  email_notifications: "emailNotifications",
  wildcard_mentions_notify: "wildcardMentionsNotify",
} as const;

type Switch = keyof typeof switches;

/** A new value of one property; `in_home_view` is the opposite of `is_muted`. */
type PropertyChange =
  | { readonly property: "color"; readonly value: string }
  | { readonly property: Switch | "in_home_view"; readonly value: boolean };

/** A change of one property of the account's own subscription. */
type SubscriptionChange = { readonly stream_id: number } & PropertyChange;

type Value = boolean | string;

/** A new value for one column. */
type Assignment = { readonly channelId: number } & (
  | { readonly column: "color"; readonly value: string }
  | { readonly column: Switch; readonly value: boolean }
);

/**
 * Changes properties of the account's own subscriptions, and sends the changes to its clients (channels.md §8). Of two
 * changes of the same property, the later one is used.
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export async function changeSubscriptions(
  tx: Tx,
  account: Account,
  changes: readonly SubscriptionChange[],
): Promise<void> {
  const wanted = latest(changes.map(assignmentOf));
  const channelIds = [...new Set(wanted.map(({ channelId }) => channelId))];
  const { before } = await loadAfter(
    [
      // Keeps the channels from being archived or unarchived meanwhile: not all clients receive events of archived
      // channels.
      lockAudiencesShared(tx, channelIds),
    ],
    {
      before: lockSubscriptions(tx, account, channelIds),
    },
  );
  const fresh = wanted.filter(({ channelId, column, value }) => {
    const subscription = before.get(channelId);
    if (!subscription) throw noSuchChannel(channelId);
    return subscription[column === "color" ? "color" : switches[column]] !== value;
  });
  if (fresh.length === 0) return;
  await store(tx, account, fresh);
  emit(
    tx,
    account.realmId,
    fresh.flatMap((assignment) => eventsOf(account, assignment, before)),
  );
}

function assignmentOf(change: SubscriptionChange): Assignment {
  const channelId = change.stream_id;
  if (change.property === "in_home_view")
    return { channelId, column: "is_muted", value: !change.value };
  if (change.property !== "color")
    return { channelId, column: change.property, value: change.value };
  const color = normaliseColor(change.value);
  if (color === undefined)
    throw errors.badRequest("The value of color must be # and six hex digits");
  return { channelId, column: "color", value: color };
}

function latest(assignments: readonly Assignment[]): Assignment[] {
  const byProperty = new Map(assignments.map((each) => [`${each.channelId}:${each.column}`, each]));
  return [...byProperty.values()];
}

const lockOwn = statement({
  name: "own-subscriptions-lock",
  // `isArchived`: Whether the channel is archived.
  text: `SELECT ${subscriptionColumns}, c.is_archived AS "isArchived" FROM subscriptions s JOIN channels c ON c.id = s.channel_id
    WHERE s.user_id = $1 AND c.realm_id = $2 AND s.channel_id = ANY($3::int[]) AND s.active
    ORDER BY s.channel_id FOR NO KEY UPDATE OF s`,
});

type OwnSubscription = RowOf<typeof lockOwn>;

/** Locks the account's subscriptions to these channels until the transaction ends, and returns them by channel. */
async function lockSubscriptions(
  tx: Tx,
  account: Account,
  channelIds: readonly number[],
): Promise<Map<number, OwnSubscription>> {
  const rows = await tx.lock({ name: "subscriptions", keys: channelIds }, lockOwn, [
    account.id,
    account.realmId,
    channelIds,
  ]);
  return new Map(rows.map((subscription) => [subscription.channelId, subscription]));
}

const properties = [["color", "text"], ...Object.keys(switches).map((name) => [name, "bool"])];

/** Keys missing in a channel's object keep their value. */
const update = statement({
  name: "own-subscriptions-store",
  text: `UPDATE subscriptions s
    SET ${properties.map(([name]) => `${name} = coalesce(n.${name}, s.${name})`).join(", ")}
    FROM jsonb_to_recordset($2::jsonb) AS n (channel_id int, ${properties.map((each) => each.join(" ")).join(", ")})
    WHERE s.user_id = $1 AND s.channel_id = n.channel_id`,
});

async function store(tx: Tx, account: Account, assignments: readonly Assignment[]): Promise<void> {
  const byChannel = new Map<number, Record<string, Value>>();
  for (const { channelId, column, value } of assignments)
    byChannel.set(channelId, { ...byChannel.get(channelId), [column]: value });
  const rows = [...byChannel].map(([channelId, values]) => ({ channel_id: channelId, ...values }));
  await tx.rows(update, [account.id, JSON.stringify(rows)]);
}

/** Makes two events for muting, since older clients only know `in_home_view` (events.md §4). */
function eventsOf(
  account: Account,
  { channelId, column, value }: Assignment,
  before: ReadonlyMap<number, OwnSubscription>,
): NewEvent[] {
  const isArchived = before.get(channelId)?.isArchived === true;
  const event = (change: PropertyChange) =>
    subscriptionPropertyEvent(account.id, { id: channelId, isArchived }, change);
  if (column === "color") return [event({ property: column, value })];
  if (column !== "is_muted") return [event({ property: column, value })];
  return [event({ property: "in_home_view", value: !value }), event({ property: column, value })];
}

/** Makes the event of a changed property of an account's own subscription. */
export function subscriptionPropertyEvent(
  userId: number,
  channel: { readonly id: number; readonly isArchived: boolean },
  change: PropertyChange,
): NewEvent {
  const archived = channel.isArchived ? { archived: [channel.id] } : {};
  return subscriptionUpdated(
    { stream_id: channel.id, ...change, ...archived },
    { audience: [userId] },
  );
}
