import { channelPermissions, errors, isGuest } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  type ActiveAccount,
  type Channel,
  currentActor,
  hasMetadataAccess,
  lockGroupGraphShared,
  loadChannelsByName,
  loadMemberships,
  loadMetadataAudiences,
  loadPrincipals,
  loadRealm,
  loadSubscribedChannels,
  lockChannels,
  canAdminister,
  type Memberships,
  type Principals,
  unsubscribe,
  loadAfter,
} from "@carillon/model";

import { recordMarkRead } from "../messages/flags/mark-read-step.ts";
import { visibilityBySubscriptions } from "../user-visibility/visibility-events.ts";
import {
  type AddedSubscriptions,
  addSubscriptions,
  type AddSubscriptionsInput,
  checkSubscriptionBounds,
  type WantedChannel,
} from "./add-subscriptions.ts";
import { unsubscribedEvents } from "../channel-events/subscription-events.ts";

interface RemoveSubscriptionsInput {
  /** Names of channels. */
  readonly subscriptions: readonly string[];
  readonly principals: Principals | undefined;
}

interface RemovedSubscriptions {
  /** Channels from which at least one account was unsubscribed. */
  readonly removed: string[];
  /** The other channels. */
  readonly notRemoved: string[];
}

/**
 * Unsubscribes accounts from channels (channels.md §8). To unsubscribe accounts other than itself and its bots, the actor
 * needs a permission.
 * @param locked ids of channels that the transaction has already locked; the names match only these
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export async function removeSubscriptions(
  tx: Tx,
  account: Account,
  input: RemoveSubscriptionsInput,
  locked?: ReadonlySet<number>,
): Promise<RemovedSubscriptions> {
  const { actor } = await loadAfter(lockGroupGraphShared(tx, account.realmId), {
    actor: currentActor(tx, account),
  });
  const principals = await loadPrincipals(tx, actor, input.principals);
  const names = input.subscriptions.map((name) => name.trim());
  const lockedIds = locked ?? (await lockNamed());
  const [all, memberships, subscribed] = await Promise.all([
    loadChannelsByName(tx, actor.realmId, names),
    loadMemberships(tx, [actor.id]),
    loadSubscribedChannels(tx, [actor.id]),
  ]);
  const found = new Map([...all].filter(([, { id }]) => lockedIds.has(id)));
  const visible = (channel: Channel | undefined): channel is Channel =>
    channel !== undefined &&
    hasMetadataAccess(actor, channel, memberships, subscribed(actor.id, channel.id));
  for (const name of names)
    if (!visible(found.get(name))) throw errors.badRequest(`There is no channel named ${name}`);
  const channels = [...new Map([...found.values()].map((each) => [each.id, each])).values()];
  if (principals.some((principal) => !isOwn(actor, principal)))
    for (const channel of channels) assertCanRemoveOthers(actor, channel, memberships);

  checkSubscriptionBounds(channels, principals.length);
  const ids = channels.map(({ id }) => id);
  const before = await loadMetadataAudiences(tx, actor.realmId, ids);
  const removed = await unsubscribe(
    tx,
    ids,
    principals.map(({ id }) => id),
  );
  await recordMarkRead(tx, actor.realmId, removed);
  const realm = await loadRealm(tx, actor.realmId);
  const events = await unsubscribedEvents(tx, realm.id, channels, removed, before);
  const visibilityEvents = await visibilityBySubscriptions(tx, realm, removed, "lost");
  emit(tx, realm.id, [...events, ...visibilityEvents]);
  const left = new Set(removed.map(({ channelId }) => channelId));
  return {
    removed: channels.filter(({ id }) => left.has(id)).map(({ name }) => name),
    notRemoved: channels.filter(({ id }) => !left.has(id)).map(({ name }) => name),
  };

  async function lockNamed(): Promise<ReadonlySet<number>> {
    const named = await loadChannelsByName(tx, actor.realmId, names);
    const ids = [...named.values()].map(({ id }) => id);
    await lockChannels(tx, ids);
    return new Set(ids);
  }
}

function isOwn(actor: Account, principal: ActiveAccount): boolean {
  return principal.id === actor.id || (principal.isBot && principal.botOwnerId === actor.id);
}

/** Checks the permission to unsubscribe others, which requires only that the actor can see the channel. */
function assertCanRemoveOthers(actor: Account, channel: Channel, memberships: Memberships): void {
  const permission = channelPermissions.canRemoveSubscribersGroup;
  const allowed =
    canAdminister(actor, channel, memberships) ||
    memberships.holds(actor, permission, channel.canRemoveSubscribersGroupId);
  if (!allowed) throw errors.badRequest(`You may not unsubscribe others from ${channel.name}`);
}

type UpdatedSubscriptions = Pick<AddedSubscriptions, "subscribed" | "alreadySubscribed"> &
  RemovedSubscriptions;

/** Options for subscribing the account itself: missing channels are created as public ones. */
const asByDefault: Omit<AddSubscriptionsInput, "subscriptions"> = {
  principals: undefined,
  authorizationErrorsFatal: true,
  notifySubscribed: false,
  inviteOnly: false,
  isWebPublic: false,
  isDefault: false,
  announce: false,
  historyPublicToSubscribers: undefined,
  messageRetentionDays: "realm_default",
  topicsPolicy: "inherit",
  folderId: undefined,
  groups: {},
};

/**
 * Subscribes the account to channels and unsubscribes it from others, by the rules of both operations (channels.md §8).
 * @param wanted delete: names of channels
 * @throws ApiError `BAD_REQUEST`, and the errors of subscribing; nothing has changed then
 */
export async function updateSubscriptions(
  tx: Tx,
  actor: Account,
  wanted: { readonly add: readonly WantedChannel[]; readonly delete: readonly string[] },
): Promise<UpdatedSubscriptions> {
  const { add, delete: names } = wanted;
  if (add.length === 0 && names.length === 0)
    throw errors.badRequest("Nothing to do: name channels in add or in delete");
  if (add.length > 0 && isGuest(actor))
    throw errors.badRequest("Guests cannot subscribe themselves");
  const andLock = names.map((name) => name.trim());
  const added =
    add.length > 0
      ? await addSubscriptions(tx, actor, { ...asByDefault, subscriptions: add, andLock })
      : undefined;
  const removed =
    names.length > 0
      ? await removeSubscriptions(
          tx,
          actor,
          { subscriptions: names, principals: undefined },
          added?.locked,
        )
      : { removed: [], notRemoved: [] };
  const { subscribed = {}, alreadySubscribed = {} } = added ?? {};
  return { subscribed, alreadySubscribed, ...removed };
}
