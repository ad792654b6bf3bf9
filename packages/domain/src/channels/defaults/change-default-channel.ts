import {
  type Account,
  currentActor,
  defaultChannelsEvent,
  isOrganizationAdministrator,
  isPublic,
  lockGroupGraph,
  noSuchChannel,
  recordAudit,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { openChannel } from "../rights/open-channel.ts";
import { storeDefaultChannel } from "./default-channel.ts";

/**
 * Lists a channel among those that new members are subscribed to, or takes it out (channels.md §8). What is so already
 * is neither told nor written down.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function changeDefaultChannel(
  tx: Tx,
  account: Account,
  channelId: number,
  isDefault: boolean,
): Promise<void> {
  checkIsAdministrator(account);
  const [, now] = await Promise.all([
    lockGroupGraph(tx, account.realmId),
    currentActor(tx, account),
  ]);
  checkIsAdministrator(now);
  const { actor, realm, channel } = await openChannel(tx, account, channelId, "alone");
  if (channel.isArchived) throw noSuchChannel(channelId);
  if (!isPublic(channel)) throw errors.badRequest("A default channel cannot be private");
  if (!(await storeDefaultChannel(tx, channelId, isDefault))) return;
  recordAudit(tx, realm.id, actor.id, [
    {
      type: isDefault ? "default_channel_added" : "default_channel_removed",
      data: { channel_id: channelId },
    },
  ]);
  emit(tx, realm.id, [await defaultChannelsEvent(tx, realm.id)]);
}

/** Asked before anybody has to wait, and again once nobody's role changes any more. */
function checkIsAdministrator(account: Account): void {
  if (!isOrganizationAdministrator(account))
    throw errors.unauthorizedPrincipal("Only administrators decide about default channels");
}
