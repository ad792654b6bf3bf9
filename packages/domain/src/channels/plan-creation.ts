import { channelPermissions, errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  type Account,
  type Channel,
  channelGroupKeys,
  checkNewChannels,
  checkVisible,
  dropAnonymousGroups,
  groupIds,
  lockGroupGraphShared,
  isOrganizationAdministrator,
  loadMemberships,
  loadSystemGroups,
  lockGroupGraph,
  type Memberships,
  newGroupSettings,
  type Realm,
  storeNewGroupSettings,
  type SystemGroupIds,
} from "@carillon/model";

import {
  type ChannelGroupValues,
  type ChannelKind,
  checkDeletionPolicy,
  creationGroupRows,
  type CreationOptions,
  insertChannels,
} from "./insert-channel.ts";
import {
  checkFolder,
  assertCanMake,
  assertCanMakeWebPublic,
  assertCanSetRetention,
  assertCanSetTopicsPolicy,
  checkTopicsOfProtectedHistory,
  type Holder,
  retentionDays,
} from "./open-channel.ts";

/** Channels to create that share their properties; permissions and folder are checked. */
interface CreationPlan {
  /** Number of rows that the permissions of each channel take. */
  readonly groupRows: number;
  /**
   * Checks that the actor may create the channels (channels.md §4, steps 6 to 11).
   * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
   */
  authorize(): CreationAuthorization;
}

interface CreationAuthorization {
  /**
   * Inserts the channels without subscriptions. The number of statements does not depend on the number of channels.
   * @param channels names and descriptions, checked
   * @returns the inserted channels in the order of names, without those whose name a concurrent transaction has taken
   */
  insert(
    channels: ReadonlyArray<{ readonly name: string; readonly description: string }>,
  ): Promise<Channel[]>;
}

/**
 * Checks the properties of new channels that do not depend on their names: group values and folder (steps 2 and 3).
 * @param memberships memberships of the creator
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

interface Creation extends Holder {
  readonly systemGroups: SystemGroupIds;
  readonly options: CreationOptions;
  readonly groups: ChannelGroupValues;
}

/**
 * Checks that the actor may create such a channel (channels.md §4, steps 6 to 11, in that order).
 * @returns whether its history is shared with later subscribers
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
function checkCreationRights(creation: Creation): boolean {
  const { actor, options } = creation;
  assertCanMake(creation, options.inviteOnly ? "private" : "public");
  if (options.isDefault) {
    if (!isOrganizationAdministrator(actor))
      throw errors.badRequest("Only administrators can make a channel a default channel");
    if (options.inviteOnly) throw errors.badRequest("A default channel cannot be private");
  }
  if (options.isWebPublic) {
    assertCanMakeWebPublic(creation);
    if (options.inviteOnly) throw errors.badRequest("A web-public channel cannot be private");
  }
  if (options.messageRetentionDays !== "realm_default") assertCanSetRetention(actor);
  if (options.topicsPolicy !== "inherit") assertCanSetTopicsPolicy(creation);
  if (!options.inviteOnly) return true;
  const hasSharedHistory = options.historyPublicToSubscribers ?? false;
  if (!hasSharedHistory)
    checkTopicsOfProtectedHistory(
      creation.groups.canCreateTopicGroup,
      creation.systemGroups["role:everyone"],
    );
  return hasSharedHistory;
}

/**
 * Locks the group graph for the creation of channels: exclusively if the list of default channels grows, because the
 * event contains the whole list and new accounts are subscribed to all of it.
 */
export function lockForCreation(
  tx: Tx,
  { realmId }: Account,
  { isDefault }: Pick<CreationOptions, "isDefault">,
): Promise<void> {
  return isDefault ? lockGroupGraph(tx, realmId) : lockGroupGraphShared(tx, realmId);
}
