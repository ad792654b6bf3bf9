import {
  type Account,
  type Channel,
  type Memberships,
  type Principals,
  type Realm,
  checkChannelName,
  checkDescription,
  currentActor,
  holdGroupGraph,
  loadChannelsByName,
  loadMemberships,
  loadMetadataAudiences,
  loadPrincipals,
  loadRealm,
  lockChannels,
  mayAdminister,
  normaliseColor,
  subscribe,
} from "@carillon/model";
import { errors, channelPermissions, realmPermissions } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { recordAnnouncements, recordSubscribedNotices } from "../../notices/record.ts";
import { type AddedSubscriptions, namesByAccount, toBeTold } from "./added-subscriptions.ts";
import { checkSubscriptionBounds } from "./subscription-bounds.ts";
import { creationEvents } from "../create/create-channel.ts";
import { postCreationNotices } from "../create/creation-notice.ts";
import type { CreationOptions } from "../create/creation-options.ts";
import { createMissing } from "../create/create-missing.ts";
import { subscribedEvents } from "../events/subscription-events.ts";
import { loadUsable } from "./usable-channels.ts";

/** A channel that somebody asks to be subscribed to, by name. */
export interface WantedChannel {
  readonly name: string;
  readonly color?: string | undefined;
  /** Where the channel has yet to be created. */
  readonly description?: string | undefined;
}

export interface AddSubscriptionsInput extends CreationOptions {
  readonly subscriptions: readonly WantedChannel[];
  readonly principals: Principals | undefined;
  /** Whether one channel that the actor may not use refuses the whole request. */
  readonly authorizationErrorsFatal: boolean;
  /** Whether others than the actor are told in a direct message. */
  readonly tellSubscribed: boolean;
  /** Names of further channels that the transaction is going to change: all are locked in one go. */
  readonly andLock?: readonly string[];
}

/**
 * Subscribes accounts to channels, and creates those that do not exist (channels.md §8). What is there already stays
 * as it is.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`; nobody is subscribed then
 */
export async function addSubscriptions(
  tx: Tx,
  account: Account,
  input: AddSubscriptionsInput,
): Promise<AddedSubscriptions> {
  const wanted = input.subscriptions.map(checkWanted);
  const [, realm, actor] = await Promise.all([
    holdGroupGraph(tx, account.realmId),
    loadRealm(tx, account.realmId),
    currentActor(tx, account),
  ]);
  const principals = await loadPrincipals(tx, actor, input.principals);
  const memberships = await loadMemberships(tx, [actor.id]);
  const names = wanted.map(({ name }) => name);
  const existing = await loadChannelsByName(tx, realm.id, names);
  const missing = wanted.filter(({ name }) => !existing.has(name));
  const created = await createMissing(tx, realm, actor, memberships, missing, input);
  for (const [name, channel] of created.raced) existing.set(name, channel);
  const old = names.filter((name) => existing.has(name));
  const load = () => loadUsable(tx, actor, memberships, old, input.authorizationErrorsFatal);

  const seen = await load();
  if (principals.some(({ id }) => id !== actor.id))
    for (const channel of seen.open) checkMayAddOthers(realm, actor, channel, memberships);
  checkSubscriptionBounds([...seen.open, ...created.channels], principals.length);
  const locking = new Set([...seen.open.map(({ id }) => id), ...(await idsOf(input.andLock))]);
  const [, { open, unauthorized }, before] = await Promise.all([
    lockChannels(tx, [...locking]),
    // Whoever has removed the actor, or archived a channel, was waited for.
    load(),
    loadMetadataAudiences(
      tx,
      realm.id,
      [...seen.open, ...created.channels].map(({ id }) => id),
    ),
  ]);
  const made = new Set(created.channels.map(({ id }) => id));
  const channels = [...open.filter(({ id }) => locking.has(id)), ...created.channels];
  const ids = channels.map(({ id }) => id);
  const known = new Map([...existing, ...created.byName]);
  const colors = new Map(wanted.map(({ name, color }) => [known.get(name)?.id, color]));
  const userIds = principals.map(({ id }) => id);
  const creation = await creationEvents(tx, realm, created.channels, before, input.isDefault);
  const added = await subscribe(
    tx,
    ids.map((channelId) => ({
      channelId,
      color: colors.get(channelId),
      made: made.has(channelId),
    })),
    userIds,
  );
  const events = await subscribedEvents(tx, realm.id, channels, added, before);
  const notices = await postCreationNotices(tx, realm, actor, created.channels);
  if (input.announce) await recordAnnouncements(tx, realm, actor, created.channels);
  const told =
    input.tellSubscribed &&
    (await recordSubscribedNotices(tx, realm, actor, toBeTold(actor, principals, added, made)));
  emit(tx, realm.id, [...creation.channels, ...events, ...creation.defaults, ...notices]);
  const locked = new Set([...locking, ...made]);
  return { ...namesByAccount(channels, userIds, added), unauthorized, told, locked };

  async function idsOf(others: readonly string[] = []): Promise<number[]> {
    if (others.length === 0) return [];
    return [...(await loadChannelsByName(tx, realm.id, others)).values()].map(({ id }) => id);
  }
}

function checkWanted({ name, color, description = "" }: WantedChannel) {
  const normal = color === undefined ? undefined : normaliseColor(color);
  if (color !== undefined && normal === undefined)
    throw errors.badRequest("subscriptions: color must be # and six hex digits");
  return {
    name: checkChannelName(name),
    color: normal,
    description: checkDescription(description),
  };
}

/** Whoever adds others needs a permission for that besides; being subscribed is not one, nor needed. */
function checkMayAddOthers(
  realm: Realm,
  actor: Account,
  channel: Channel,
  memberships: Memberships,
): void {
  const organization = realmPermissions.canAddSubscribersGroup;
  const own = channelPermissions.canAddSubscribersGroup;
  const allowed =
    memberships.holds(actor, organization, realm.groups.canAddSubscribersGroup) ||
    mayAdminister(actor, channel, memberships) ||
    memberships.holds(actor, own, channel.canAddSubscribersGroupId);
  if (!allowed) throw errors.badRequest(`You may not subscribe others to ${channel.name}`);
}
