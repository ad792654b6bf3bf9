import { bounds, channelPermissions, errors, realmPermissions } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  type Channel,
  checkChannelName,
  checkDescription,
  currentActor,
  hasContentAccess,
  loadChannels,
  loadChannelsByName,
  loadMemberships,
  loadMetadataAudiences,
  loadPrincipals,
  loadRealm,
  loadSubscribedChannels,
  lockChannels,
  canAdminister,
  type Memberships,
  normaliseColor,
  type Principals,
  type Realm,
  subscribe,
  type Subscription,
  loadAfter,
} from "@carillon/model";

import { recordAnnouncements, recordSubscribedNotices } from "../notices/record.ts";
import { visibilityBySubscriptions } from "../user-visibility/visibility-events.ts";
import { creationEvents, postCreationNotices, createMissing } from "./create-channel.ts";
import { type CreationOptions } from "./insert-channel.ts";
import { lockForCreation } from "./plan-creation.ts";
import { subscribedEvents } from "../channel-events/subscription-events.ts";

export interface AddSubscriptionsInput extends FindOptions {
  readonly subscriptions: readonly WantedChannel[];
  readonly principals: Principals | undefined;
  /** Whether accounts other than the actor get a notice by direct message. */
  readonly notifySubscribed: boolean;
}

/**
 * Subscribes accounts to channels, and creates channels that do not exist (channels.md §8). Existing subscriptions stay
 * as they are.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`; nothing has changed then
 */
export async function addSubscriptions(
  tx: Tx,
  account: Account,
  input: AddSubscriptionsInput,
): Promise<AddedSubscriptions> {
  const wanted = input.subscriptions.map(checkWanted);
  const { realm, actor } = await loadAfter(lockForCreation(tx, account, input), {
    realm: loadRealm(tx, account.realmId),
    actor: currentActor(tx, account),
  });
  const principals = await loadPrincipals(tx, actor, input.principals);
  const memberships = await loadMemberships(tx, [actor.id]);
  const found = await findOrCreate(tx, realm, actor, memberships, wanted, input);
  const { usable, created, colors, unauthorized, locked } = found;
  if (principals.some(({ id }) => id !== actor.id))
    for (const channel of usable) assertCanAddOthers(realm, actor, channel, memberships);
  const channels = [...usable, ...created];
  checkSubscriptionBounds(channels, principals.length);

  const ids = channels.map(({ id }) => id);
  const made = new Set(created.map(({ id }) => id));
  const userIds = principals.map(({ id }) => id);
  const before = await loadMetadataAudiences(tx, realm.id, ids);
  const creation = await creationEvents(tx, realm, created, before, input.isDefault);
  const added = await subscribe(
    tx,
    ids.map((id) => ({ channelId: id, color: colors.get(id) })),
    userIds,
  );
  const events = await subscribedEvents(tx, realm.id, channels, added, before);
  const notices = await postCreationNotices(tx, realm, actor, created);
  if (input.announce) await recordAnnouncements(tx, realm, actor, created);
  const subscribed = { principals, added, created: made };
  const notified =
    input.notifySubscribed && (await recordSubscribedNotices(tx, realm, actor, subscribed));
  const visibilityEvents = await visibilityBySubscriptions(tx, realm, added, "gained");
  emit(tx, realm.id, [
    ...visibilityEvents,
    ...creation.channels,
    ...events,
    ...creation.defaults,
    ...notices,
  ]);
  return { ...namesByAccount(channels, userIds, added), unauthorized, notified, locked };
}

/** Result of the permission check of channels that a request names. */
interface UsableChannels {
  /** Channels that the actor may use, without duplicates. */
  readonly usable: Channel[];
  /** Names of the other channels. */
  readonly unauthorized: string[];
}

/**
 * Finds the channels to which the actor may subscribe accounts: not archived, and readable by the actor.
 * @param named channels by the requested names; a channel may appear twice
 * @param fatal whether one unusable channel rejects the whole request
 * @throws ApiError `BAD_REQUEST`
 */
function partitionUsable(
  actor: Account,
  named: ReadonlyMap<string, Channel>,
  memberships: Memberships,
  isSubscribed: (channelId: number) => boolean,
  fatal: boolean,
): UsableChannels {
  const usable = new Map<number, Channel>();
  const unauthorized: string[] = [];
  for (const [name, channel] of named)
    if (
      !channel.isArchived &&
      hasContentAccess(actor, channel, memberships, isSubscribed(channel.id))
    )
      usable.set(channel.id, channel);
    else unauthorized.push(name);
  if (unauthorized.length > 0 && fatal)
    throw errors.badRequest(`You cannot subscribe to ${unauthorized.join(", ")}`);
  return { usable: [...usable.values()], unauthorized };
}

/**
 * Checks the additional permission to subscribe others.
 * @throws ApiError `BAD_REQUEST`
 */
function assertCanAddOthers(
  realm: Realm,
  actor: Account,
  channel: Channel,
  memberships: Memberships,
): void {
  if (!canAddOthers(realm, actor, channel, memberships))
    throw errors.badRequest(`You may not subscribe others to ${channel.name}`);
}

/**
 * Whether the actor has the permission to subscribe others to a channel that it can read; the permission neither follows
 * from a subscription nor requires one.
 */
export function canAddOthers(
  realm: Realm,
  actor: Account,
  channel: Channel,
  memberships: Memberships,
): boolean {
  const organization = realmPermissions.canAddSubscribersGroup;
  const own = channelPermissions.canAddSubscribersGroup;
  return (
    memberships.holds(actor, organization, realm.groups.canAddSubscribersGroup) ||
    canAdminister(actor, channel, memberships) ||
    memberships.holds(actor, own, channel.canAddSubscribersGroupId)
  );
}

interface FindOptions extends CreationOptions {
  /** Whether one channel that the actor may not use rejects the whole request. */
  readonly authorizationErrorsFatal: boolean;
  /** Names of further channels that the transaction will change, so that all are locked at once. */
  readonly andLock?: readonly string[];
}

/** The channels that a request names. */
interface FoundChannels {
  /** Existing channels that the actor may use, without duplicates, locked. */
  readonly usable: readonly Channel[];
  /** Names of existing channels that the actor may not use. */
  readonly unauthorized: string[];
  /** Channels that did not exist. */
  readonly created: readonly Channel[];
  /** The requested colours, by channel. */
  readonly colors: ReadonlyMap<number, string | undefined>;
  /** Ids of the channels that the transaction has locked or created. */
  readonly locked: ReadonlySet<number>;
}

/**
 * Finds channels by their names, and creates channels that do not exist (channels.md §8). Locks the existing ones
 * before checking whether the actor may use them, so that the check sees concurrent unsubscriptions and archiving. A
 * channel that is renamed meanwhile is still used.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
async function findOrCreate(
  tx: Tx,
  realm: Realm,
  actor: Account,
  memberships: Memberships,
  wanted: readonly CheckedChannel[],
  options: FindOptions,
): Promise<FoundChannels> {
  const { andLock = [], authorizationErrorsFatal: fatal } = options;
  const names = wanted.map(({ name }) => name);
  const named = await loadChannelsByName(tx, realm.id, [...new Set([...names, ...andLock])]);
  const missing = wanted.filter(({ name }) => !named.has(name));
  const created = await createMissing(tx, realm, actor, memberships, missing, options);
  const found = new Map([...named, ...created.raced]);
  const ids = [...new Set([...found.values()].map(({ id }) => id))];
  const { subscribed, now } = await loadAfter(lockChannels(tx, ids), {
    subscribed: loadSubscribedChannels(tx, [actor.id]),
    now: loadChannels(tx, realm.id, ids),
  });
  const existing = new Map(
    names.flatMap((name) => {
      const channel = now.get(found.get(name)?.id ?? 0);
      return channel ? [[name, channel] as const] : [];
    }),
  );
  const isSubscribed = (id: number) => subscribed(actor.id, id);
  const known = new Map([...existing, ...created.byName]);
  return {
    ...partitionUsable(actor, existing, memberships, isSubscribed, fatal),
    created: created.channels,
    colors: new Map(
      wanted.flatMap(({ name, color }) => {
        const channel = known.get(name);
        return channel ? [[channel.id, color] as const] : [];
      }),
    ),
    locked: new Set([...ids, ...created.channels.map(({ id }) => id)]),
  };
}

/** A channel to subscribe to, by name. */
export interface WantedChannel {
  readonly name: string;
  readonly color?: string | undefined;
  /** Description for a channel that has to be created. */
  readonly description?: string | undefined;
}

/** A {@link WantedChannel} after checking. */
interface CheckedChannel {
  readonly name: string;
  /** `#rrggbb` in lower case. */
  readonly color: string | undefined;
  readonly description: string;
}

/**
 * Checks and normalises a name, description and colour.
 * @throws ApiError `BAD_REQUEST` if one of them is invalid
 */
function checkWanted({ name, color, description = "" }: WantedChannel): CheckedChannel {
  const normal = color === undefined ? undefined : normaliseColor(color);
  if (color !== undefined && normal === undefined)
    throw errors.badRequest("subscriptions: color must be # and six hex digits");
  return {
    name: checkChannelName(name),
    color: normal,
    description: checkDescription(description),
  };
}

export interface AddedSubscriptions {
  /** Names of channels, by account id. */
  readonly subscribed: Record<string, string[]>;
  readonly alreadySubscribed: Record<string, string[]>;
  /** Requested names of channels that the actor may not use. */
  readonly unauthorized: string[];
  /** Whether the subscribed accounts get a notice. */
  readonly notified: boolean;
  /** Ids of the channels that the transaction has locked or created. */
  readonly locked: ReadonlySet<number>;
}

/** Groups channel names by newly subscribed accounts, and by accounts that were subscribed before. */
function namesByAccount(
  channels: readonly Channel[],
  userIds: readonly number[],
  added: readonly Subscription[],
): Pick<AddedSubscriptions, "subscribed" | "alreadySubscribed"> {
  const fresh = new Map(channels.map(({ id }) => [id, new Set<number>()]));
  for (const { userId, channelId } of added) fresh.get(channelId)?.add(userId);
  const subscribed: Record<string, string[]> = {};
  const alreadySubscribed: Record<string, string[]> = {};
  for (const { id, name } of channels)
    for (const userId of userIds) {
      const list = fresh.get(id)?.has(userId) ? subscribed : alreadySubscribed;
      (list[userId] ??= []).push(name);
    }
  return { subscribed, alreadySubscribed };
}

/**
 * Checks the limits of one request, in subscription rows and in lists of subscribers in events (http-contract.md §8.1),
 * because the request blocks other requests of the organization while it runs.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkSubscriptionBounds(
  channels: ReadonlyArray<Pick<Channel, "subscriberCount">>,
  accounts: number,
): void {
  if (channels.length * accounts > bounds.rows)
    throw errors.badRequest(
      `channels × users must not be more than ${bounds.rows} in one request; these are ${channels.length} × ${accounts}`,
    );
  const subscribers = channels.reduce((sum, { subscriberCount }) => sum + subscriberCount, 0);
  if (channels.length > 1 && subscribers > bounds.subscribers)
    throw errors.badRequest(
      `The channels of one request must not have more than ${bounds.subscribers} subscribers together; ` +
        `these have ${subscribers}: name fewer channels at once`,
    );
}
