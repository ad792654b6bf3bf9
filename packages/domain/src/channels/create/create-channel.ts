import {
  type Account,
  type Channel,
  type ChannelPresenter,
  type MetadataAudiences,
  type Realm,
  checkChannelName,
  checkDescription,
  currentActor,
  defaultChannelsEvent,
  loadActiveAccounts,
  loadChannelPresenter,
  loadChannelsByName,
  loadMetadataAudiences,
  loadRealm,
  subscribe,
} from "@carillon/model";
import { type NewEvent, errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { sightBySubscriptions } from "../../sight/sight-events.ts";
import { recordAnnouncements } from "../../notices/record.ts";
import { channelsShownEvent } from "../events/channel-events.ts";
import { postCreationNotices } from "./creation-notice.ts";
import type { CreationOptions } from "./creation-options.ts";
import { lockForCreation } from "./lock-for-creation.ts";
import { planCreation } from "./plan-creation.ts";
import { subscribedEvents } from "../events/subscription-events.ts";

export interface NewChannelInput extends CreationOptions {
  readonly name: string;
  readonly description: string;
  readonly subscribers: readonly number[];
}

/**
 * Creates a channel (channels.md §4): checks in the documented order, rows, notice and events. The creator is
 * subscribed only if listed.
 * @returns its id
 * @throws ApiError `BAD_REQUEST`, `CHANNEL_ALREADY_EXISTS`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function createChannel(
  tx: Tx,
  account: Account,
  input: NewChannelInput,
): Promise<number> {
  const [, realm, creator] = await Promise.all([
    lockForCreation(tx, account, input),
    loadRealm(tx, account.realmId),
    currentActor(tx, account),
  ]);
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
  const sight = await sightBySubscriptions(tx, realm, added, "gained");
  emit(tx, realm.id, [
    ...sight,
    ...created.channels,
    ...subscribed,
    ...created.defaults,
    ...notices,
  ]);
  return channel.id;
}

/** One event for all channels that the same accounts see. */
function createdEvents(
  presenter: ChannelPresenter,
  channels: readonly Channel[],
  audiences: MetadataAudiences,
): NewEvent[] {
  const byAudience = new Map<ReadonlySet<number>, Channel[]>();
  for (const channel of channels) {
    const audience = audiences.get(channel.id) ?? new Set();
    const alike = byAudience.get(audience);
    if (alike) alike.push(channel);
    else byAudience.set(audience, [channel]);
  }
  return [...byAudience].map(([audience, alike]) =>
    channelsShownEvent(
      alike.map((channel) => presenter.present(channel)),
      [...audience],
    ),
  );
}

/** What is told of new channels to those who see them, before anybody is subscribed; the defaults go out later. */
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
