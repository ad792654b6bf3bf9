import type { Account } from "@carillon/model";
import { errors, isGuest } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { addSubscriptions, type AddSubscriptionsInput } from "./add-subscriptions.ts";
import type { AddedSubscriptions } from "./added-subscriptions.ts";
import { removeSubscriptions, type RemovedSubscriptions } from "./remove-subscriptions.ts";
import type { WantedChannel } from "./wanted-channel.ts";

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
