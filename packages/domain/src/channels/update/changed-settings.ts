import {
  type Channel,
  type ChangedGroupSetting,
  type SystemGroupIds,
  changeGroupSettings,
  readingPermissions,
  showingPermissions,
} from "@carillon/model";
import { type ChannelPermission, channelPermissions, errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import type { OpenChannel } from "../rights/open-channel.ts";
import { checkMaySetDeletion } from "../rights/property-rights.ts";
import type { ChannelChanges } from "./channel-changes.ts";

const nameOf = (permission: ChannelPermission) => channelPermissions[permission].name;
/** It takes somebody who may read the channel to give these away. */
const opening: readonly string[] = readingPermissions.map(nameOf);
const showing: readonly string[] = showingPermissions.map(nameOf);

/**
 * Sets permissions of the channel, which the transaction has together with the group graph (channels.md §5.12).
 * @throws ApiError `BAD_REQUEST`, `EXPECTATION_MISMATCH`; nothing has changed then
 */
export function changeChannelSettings(
  tx: Tx,
  open: OpenChannel,
  settings: ChannelChanges["settings"],
  systemGroups: SystemGroupIds,
): Promise<ChangedGroupSetting[]> {
  const { id, realmId } = open.channel;
  const owner = { scope: "channel", id, groups: groupsOf(open.channel) } as const;
  return changeGroupSettings(tx, realmId, owner, settings, {
    systemGroups,
    authorize(changes) {
      const names = changes.map(({ name }) => name);
      const forReaders = names.find((name) => opening.includes(name));
      if (forReaders !== undefined && !open.isReadable)
        throw errors.badRequest(`Only who may read a channel sets ${forReaders}`);
      checkMaySetDeletion(open, names);
    },
  });
}

/** Whether others may see the channel by now than before. */
export function changesSight(settings: readonly ChangedGroupSetting[]): boolean {
  return settings.some(({ name }) => showing.includes(name));
}

function groupsOf(channel: Channel): Record<ChannelPermission, number> {
  const keys = Object.keys(channelPermissions) as ChannelPermission[];
  const groups = keys.map((key) => [key, channel[`${key}Id`]] as const);
  return Object.fromEntries(groups) as Record<ChannelPermission, number>;
}
