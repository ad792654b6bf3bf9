import { bounds, errors, type NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { type Notice, notice, paragraph, silentUser, verbatim } from "@carillon/markdown";
import {
  type Account,
  type Channel,
  type ChannelPresenter,
  checkChannelName,
  checkDescription,
  currentActor,
  defaultChannelsEvent,
  loadActiveAccounts,
  loadChannelPresenter,
  loadChannelsByName,
  loadMetadataAudiences,
  loadRealm,
  type Memberships,
  type MetadataAudiences,
  type Realm,
  subscribe,
  loadAfter,
} from "@carillon/model";

import { channelsShownEvent } from "../channel-events/channel-events.ts";
import { subscribedEvents } from "../channel-events/subscription-events.ts";
import { postChannelNotices } from "../notices/post-channel-notice.ts";
import { recordAnnouncements } from "../notices/record.ts";
import { visibilityBySubscriptions } from "../user-visibility/visibility-events.ts";
import type { CreationOptions } from "./insert-channel.ts";
import { lockForCreation, planCreation } from "./plan-creation.ts";

interface NewChannelInput extends CreationOptions {
  readonly name: string;
  readonly description: string;
  readonly subscribers: readonly number[];
}

/**
 * Creates a channel (channels.md §4): checks in the documented order, then writes rows, a notice and events. The
 * creator is subscribed only if listed.
 * @returns its id
 * @throws ApiError `BAD_REQUEST`, `CHANNEL_ALREADY_EXISTS`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function createChannel(
  tx: Tx,
  account: Account,
  input: NewChannelInput,
): Promise<number> {
  const { realm, creator } = await loadAfter(lockForCreation(tx, account, input), {
    realm: loadRealm(tx, account.realmId),
    creator: currentActor(tx, account),
  });
  const description = checkDescription(input.description);
  const plan = await planCreation(tx, realm, creator, input);
  const name = checkChannelName(input.name);
  const taken = await loadChannelsByName(tx, realm.id, [name]);
  if (taken.size > 0) throw errors.channelAlreadyExists(name);
  const authorization = plan.authorize();
  const subscribers = await loadActiveAccounts(tx, realm.id, input.subscribers);
  const [channel] = await authorization.insert([{ name, description }]);
  if (!channel) throw errors.channelAlreadyExists(name);

  const before = await loadMetadataAudiences(tx, realm.id, [channel.id]);
  const created = await creationEvents(tx, realm, [channel], before, input.isDefault);
  const added = await subscribe(
    tx,
    [{ channelId: channel.id }],
    subscribers.map(({ id }) => id),
  );
  const subscribed = await subscribedEvents(tx, realm.id, [channel], added, before);
  const notices = await postCreationNotices(tx, realm, creator, [channel]);
  if (input.announce) await recordAnnouncements(tx, realm, creator, [channel]);
  const visibilityEvents = await visibilityBySubscriptions(tx, realm, added, "gained");
  emit(tx, realm.id, [
    ...visibilityEvents,
    ...created.channels,
    ...subscribed,
    ...created.defaults,
    ...notices,
  ]);
  return channel.id;
}

/** Makes one event for all channels with the same audience. */
function createdEvents(
  presenter: ChannelPresenter,
  channels: readonly Channel[],
  audiences: MetadataAudiences,
): NewEvent[] {
  const byAudience = new Map<ReadonlySet<number>, Channel[]>();
  for (const channel of channels) {
    const audience = audiences.get(channel.id) ?? new Set();
    const group = byAudience.get(audience);
    if (group) group.push(channel);
    else byAudience.set(audience, [channel]);
  }
  return [...byAudience].map(([audience, group]) =>
    channelsShownEvent(
      group.map((channel) => presenter.present(channel)),
      [...audience],
    ),
  );
}

/**
 * Makes the events of new channels before their subscriptions: the channels for accounts that can see them, and the
 * list of default channels, which is sent later.
 */
export async function creationEvents(
  tx: Tx,
  realm: Realm,
  channels: readonly Channel[],
  audiences: MetadataAudiences,
  isDefault: boolean,
): Promise<{ channels: NewEvent[]; defaults: NewEvent[] }> {
  if (channels.length === 0) return { channels: [], defaults: [] };
  const presenter = await loadChannelPresenter(tx, realm.id, channels);
  return {
    channels: createdEvents(presenter, channels, audiences),
    defaults: isDefault ? [await defaultChannelsEvent(tx, realm.id)] : [],
  };
}

/** Posts the first message of each new channel (channels.md §4), which names its creator. */
export function postCreationNotices(
  tx: Tx,
  realm: Realm,
  creator: Account,
  channels: readonly Channel[],
): Promise<readonly NewEvent[]> {
  // The text depends only on the kind of channel, so it is made once for each kind.
  const notices = new Map<string, Notice>();
  return postChannelNotices(
    tx,
    realm,
    creator,
    channels.map((channel) => {
      const kind = kindOf(channel);
      const created =
        notices.get(kind) ??
        notice(paragraph`${silentUser(creator)} created this ${verbatim(kind)} channel.`);
      notices.set(kind, created);
      return { channelId: channel.id, notice: created };
    }),
  );
}

function kindOf(channel: Channel): string {
  if (channel.isWebPublic) return "web-public";
  return channel.inviteOnly ? "private" : "public";
}

interface CreatedChannels {
  readonly channels: readonly Channel[];
  /** The channels by the requested names; names that differ only in case map to the same channel. */
  readonly byName: ReadonlyMap<string, Channel>;
  /** Channels that a concurrent transaction has created. */
  readonly raced: ReadonlyMap<string, Channel>;
}

/**
 * Creates the channels of a subscription request that do not exist, with the checks of a single creation (channels.md
 * §4). The number of statements does not depend on the number of channels.
 * @param missing names and descriptions, checked
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function createMissing(
  tx: Tx,
  realm: Realm,
  creator: Account,
  memberships: Memberships,
  missing: ReadonlyArray<{ readonly name: string; readonly description: string }>,
  options: CreationOptions,
): Promise<CreatedChannels> {
  const byName = new Map<string, Channel>();
  const raced = new Map<string, Channel>();
  if (missing.length === 0) return { channels: [], byName, raced };
  // Of equal names, the first is used.
  const wanted = [
    ...new Map(missing.toReversed().map((each) => [each.name, each])).values(),
  ].reverse();
  if (wanted.length > bounds.newChannels)
    throw errors.badRequest(
      `subscriptions must not name more than ${bounds.newChannels} channels that do not exist in one request`,
    );
  const plan = await planCreation(tx, realm, creator, options, memberships);
  if (plan.groupRows * wanted.length > bounds.rows)
    throw errors.badRequest(
      `Members and subgroups of permissions × new channels must not be more than ${bounds.rows} in one request`,
    );
  const channels = await plan.authorize().insert(wanted);
  const ours = new Map(channels.map((channel) => [channel.id, channel]));
  const named = new Map(channels.map((channel) => [channel.name, channel]));
  for (const { name } of wanted) {
    const channel = named.get(name);
    if (channel) byName.set(name, channel);
  }
  const others = wanted.map(({ name }) => name).filter((name) => !byName.has(name));
  const found =
    others.length > 0 ? await loadChannelsByName(tx, realm.id, others) : new Map<string, Channel>();
  for (const name of others) {
    const channel = found.get(name);
    if (!channel) throw new Error(`channel ${name} was neither inserted nor found`);
    const own = ours.get(channel.id);
    if (own) byName.set(name, own);
    else raced.set(name, channel);
  }
  return { channels, byName, raced };
}
