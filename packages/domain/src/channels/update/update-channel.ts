import {
  type Account,
  checkDescription,
  defaultChannelsEvent,
  loadChannels,
  loadMetadataAudience,
  loadSystemGroups,
  renderChannelDescription,
} from "@carillon/model";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { IntentRef } from "@carillon/jobs";

import { unarchiveChannel } from "../archive/unarchive-channel.ts";
import { isDefaultChannel } from "../defaults/default-channel.ts";
import { type OpenChannel, openChannel } from "../rights/open-channel.ts";
import { applyChanges } from "./apply-changes.ts";
import { changedProperties } from "./changed-properties.ts";
import { changeChannelSettings } from "./changed-settings.ts";
import { asksForSettings, type ChannelChanges } from "./channel-changes.ts";
import { checkNextChannel, type Description } from "./next-channel.ts";
import { keepNotices } from "./keep-notices.ts";

/**
 * Changes a channel, archived ones too (channels.md §5): everything is checked, in the documented order, before
 * anything changes. What is as it should be already is neither told nor written down. Notices are not posted yet: each
 * is a copy for every subscriber, and it is the whole organization that waits for this transaction.
 * @returns what is to be posted after the commit, by `postNoticesOfChange`; undefined for nothing
 * @throws ApiError `BAD_REQUEST`, `CANNOT_ADMINISTER_CHANNEL`, `UNAUTHORIZED_PRINCIPAL`, `CHANNEL_ALREADY_EXISTS`,
 *   `EXPECTATION_MISMATCH`; nothing has changed then
 */
export async function updateChannel(
  tx: Tx,
  account: Account,
  channelId: number,
  wanted: ChannelChanges,
): Promise<IntentRef | undefined> {
  const description = describe(wanted.description);
  const graph = needsGraphAlone(wanted) ? "alone" : "shared";
  const open = await openChannel(tx, account, channelId, graph);
  const { actor, channel, realm } = open;
  const [systemGroups, isDefault, seenBy] = await Promise.all([
    loadSystemGroups(tx, realm.id),
    isDefaultChannel(tx, channelId),
    loadMetadataAudience(tx, realm.id, channelId),
  ]);
  const next = await checkNextChannel(tx, open, wanted, { description, isDefault, systemGroups });
  const settings = await changeChannelSettings(tx, open, wanted.settings, systemGroups);
  const properties = changedProperties({ ...channel, isDefault }, next);
  const changes = { before: channel, next, properties, settings };

  const { events, auditIds } = await applyChanges(tx, actor.id, changes, seenBy, systemGroups);
  // Clients that do not know archived channels are told of none of its changes: they get it back as it is then.
  const returned = wanted.isArchived === false ? await bringBack(tx, open) : [];
  const defaults = next.isDefault === isDefault ? [] : [await defaultChannelsEvent(tx, realm.id)];
  emit(tx, realm.id, [...events, ...returned, ...defaults]);
  return keepNotices(tx, open, changes, auditIds);
}

/** @throws ApiError `BAD_REQUEST` */
function describe(asked: string | undefined): Description | undefined {
  if (asked === undefined) return undefined;
  const description = checkDescription(asked);
  return { description, renderedDescription: renderChannelDescription(description) };
}

/** Others who hold the group graph go by the permissions of channels, their names, and the list of default ones. */
function needsGraphAlone(wanted: ChannelChanges): boolean {
  return asksForSettings(wanted) || wanted.newName !== undefined || wanted.isDefault !== undefined;
}

async function bringBack(tx: Tx, { realm, actor, channel }: OpenChannel) {
  const now = (await loadChannels(tx, realm.id, [channel.id])).get(channel.id);
  return unarchiveChannel(tx, realm, actor, now ?? channel);
}
