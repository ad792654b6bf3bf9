import {
  type Account,
  holdGroupGraph,
  loadChannelsByName,
  lockAccount,
  lockChannels,
} from "@carillon/model";
import { errors, isGuest } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import {
  addSubscriptions,
  type AddedSubscriptions,
  type AddSubscriptionsInput,
  type WantedChannel,
} from "./add-subscriptions.ts";
import { removeSubscriptions, type RemovedSubscriptions } from "./remove-subscriptions.ts";

export type UpdatedSubscriptions = Pick<AddedSubscriptions, "subscribed" | "alreadySubscribed"> &
  RemovedSubscriptions;

/** Oneself, and public channels where there are none yet. */
const asByDefault: Omit<AddSubscriptionsInput, "subscriptions"> = {
  principals: undefined,
  authorizationErrorsFatal: true,
  tellSubscribed: false,
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
 * Subscribes the account to channels and unsubscribes it from others, by the rules of either (channels.md §8).
 * @param wanted delete: names of channels
 * @throws ApiError `BAD_REQUEST`, and what adding refuses with; nothing is changed then
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
  if (add.length > 0 && names.length > 0)
    await lockAll(tx, actor, [...add.map(({ name }) => name), ...names]);
  const added =
    add.length > 0
      ? await addSubscriptions(tx, actor, { ...asByDefault, subscriptions: add })
      : { subscribed: {}, alreadySubscribed: {} };
  const removed =
    names.length > 0
      ? await removeSubscriptions(tx, actor, { subscriptions: names, principals: undefined })
      : { removed: [], notRemoved: [] };
  const { subscribed, alreadySubscribed } = added;
  return { subscribed, alreadySubscribed, ...removed };
}

/** All channels at once, in the one order: the two halves would take them in the order of the request. */
async function lockAll(tx: Tx, actor: Account, names: readonly string[]): Promise<void> {
  const [, , channels] = await Promise.all([
    holdGroupGraph(tx, actor.realmId),
    lockAccount(tx, actor.realmId, actor.id, "FOR SHARE"),
    loadChannelsByName(
      tx,
      actor.realmId,
      names.map((name) => name.trim()),
    ),
  ]);
  await lockChannels(
    tx,
    [...channels.values()].map(({ id }) => id),
  );
}
