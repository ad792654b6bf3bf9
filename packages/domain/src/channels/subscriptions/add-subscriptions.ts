import {
  type Account,
  type Principals,
  currentActor,
  loadMemberships,
  loadMetadataAudiences,
  loadPrincipals,
  loadRealm,
  subscribe,
} from "@carillon/model";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { sightBySubscriptions } from "../../sight/sight-events.ts";
import { recordAnnouncements } from "../../notices/record.ts";
import { recordSubscribedNotices } from "../../notices/record-subscribed.ts";
import { type AddedSubscriptions, namesByAccount } from "./added-subscriptions.ts";
import { checkSubscriptionBounds } from "./subscription-bounds.ts";
import { creationEvents } from "../create/create-channel.ts";
import { postCreationNotices } from "../create/creation-notice.ts";
import { lockForCreation } from "../create/lock-for-creation.ts";
import { type FindOptions, findOrCreate } from "./find-or-create.ts";
import { subscribedEvents } from "../events/subscription-events.ts";
import { checkMayAddOthers } from "./usable-channels.ts";
import { checkWanted, type WantedChannel } from "./wanted-channel.ts";

export interface AddSubscriptionsInput extends FindOptions {
  readonly subscriptions: readonly WantedChannel[];
  readonly principals: Principals | undefined;
  /** Whether others than the actor are told in a direct message. */
  readonly tellSubscribed: boolean;
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
    lockForCreation(tx, account, input),
    loadRealm(tx, account.realmId),
    currentActor(tx, account),
  ]);
  const principals = await loadPrincipals(tx, actor, input.principals);
  const memberships = await loadMemberships(tx, [actor.id]);
  const found = await findOrCreate(tx, realm, actor, memberships, wanted, input);
  const { usable, created, colors, unauthorized, locked } = found;
  if (principals.some(({ id }) => id !== actor.id))
    for (const channel of usable) checkMayAddOthers(realm, actor, channel, memberships);
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
  const told =
    input.tellSubscribed && (await recordSubscribedNotices(tx, realm, actor, subscribed));
  const sight = await sightBySubscriptions(tx, realm, added, "gained");
  emit(tx, realm.id, [...sight, ...creation.channels, ...events, ...creation.defaults, ...notices]);
  return { ...namesByAccount(channels, userIds, added), unauthorized, told, locked };
}
