import {
  type Account,
  type Channel,
  type Memberships,
  type Realm,
  channelGroupKeys,
  checkNewChannels,
  checkVisible,
  dropAnonymousGroups,
  groupIds,
  loadMemberships,
  loadSystemGroups,
  newGroupSettings,
  storeNewGroupSettings,
} from "@carillon/model";
import { channelPermissions } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { checkFolder, retentionDays } from "../rights/property-rights.ts";
import { checkDeletionPolicy, creationGroupRows } from "./creation-groups.ts";
import type { CreationOptions } from "./creation-options.ts";
import { checkCreationRights } from "./creation-rights.ts";
import { insertChannels, type ChannelKind } from "./insert-channel.ts";

/** Channels of one kind that somebody wants to create, their permissions and their folder checked. */
export interface CreationPlan {
  /** Rows that the permissions of each channel take. */
  readonly groupRows: number;
  /** @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL` (channels.md §4, steps 6 to 11) */
  authorize(): CreationAuthorization;
}

export interface CreationAuthorization {
  /**
   * Adds the channels, nobody subscribed, with as many statements whatever their number.
   * @param channels names and descriptions, checked
   * @returns without those whose names another transaction has just taken, and in the order of names
   */
  insert(
    channels: ReadonlyArray<{ readonly name: string; readonly description: string }>,
  ): Promise<Channel[]>;
}

/**
 * Checks what does not depend on the name: group values and folder (steps 2 and 3).
 * @param memberships those of the creator
 * @throws ApiError `BAD_REQUEST`
 */
export async function planCreation(
  tx: Tx,
  realm: Realm,
  creator: Account,
  options: CreationOptions,
  memberships?: Memberships,
): Promise<CreationPlan> {
  const systemGroups = await loadSystemGroups(tx, realm.id);
  const known = memberships ?? (await loadMemberships(tx, [creator.id]));
  const groups = await newGroupSettings(tx, realm.id, channelPermissions, options.groups, {
    creatorId: creator.id,
    systemGroups,
  });
  const holder = { realm, actor: creator, memberships: known };
  checkDeletionPolicy(holder, systemGroups, groups);
  if (options.folderId !== undefined) await checkFolder(tx, realm.id, options.folderId);
  return {
    groupRows: creationGroupRows(groups),
    authorize() {
      const creation = { ...holder, systemGroups, options, groups };
      const historyPublicToSubscribers = checkCreationRights(creation);
      return {
        async insert(wanted) {
          await checkNewChannels(tx, creator, wanted.length);
          const stored = await storeNewGroupSettings(tx, realm.id, groups, wanted.length);
          const kind: ChannelKind = {
            creatorId: creator.id,
            inviteOnly: options.inviteOnly,
            isWebPublic: options.isWebPublic,
            historyPublicToSubscribers,
            topicsPolicy: options.topicsPolicy,
            messageRetentionDays: retentionDays(options.messageRetentionDays),
            folderId: options.folderId ?? null,
            isDefault: options.isDefault,
          };
          const parts = wanted.map((each, i) => ({ ...each, groups: groupIds(stored[i]!) }));
          for (const { name } of parts) checkVisible("The name of a channel", name);
          const channels = await insertChannels(tx, realm.id, kind, parts);
          const used = new Set(channels.flatMap(groupIdsOf));
          const left = stored.flatMap((own) => Object.values(own)).filter((id) => !used.has(id));
          await dropAnonymousGroups(tx, left);
          return channels;
        },
      };
    },
  };
}

function groupIdsOf(channel: Channel): number[] {
  return channelGroupKeys.map((key) => channel[key]);
}
