import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { loadMemberships, type Memberships } from "../permissions/memberships.ts";
import { dropAnonymousGroup } from "../permissions/store-group-setting.ts";
import { loadSystemGroups } from "../permissions/system-groups.ts";
import type { Realm } from "../realms/realm.ts";
import type { Account } from "../users/account.ts";
import type { Channel } from "./channel.ts";
import {
  checkCreationGroups,
  checkDeletionPolicy,
  storeCreationGroups,
} from "./creation-groups.ts";
import type { CreationOptions } from "./creation-options.ts";
import { checkCreationRights } from "./creation-rights.ts";
import { insertChannel } from "./insert-channel.ts";

/** Channels of one kind that somebody wants to create, their permissions and their folder checked. */
export interface CreationPlan {
  /** @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL` (channels.md §4, steps 6 to 11) */
  authorize(): CreationAuthorization;
}

export interface CreationAuthorization {
  /**
   * Adds the channel, nobody subscribed.
   * @param name,description checked
   * @returns undefined when another transaction has just taken the name
   */
  insert(name: string, description: string): Promise<Channel | undefined>;
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
  const groups = await checkCreationGroups(tx, realm, creator, systemGroups, options.groups);
  checkDeletionPolicy(realm, creator, known, systemGroups, groups);
  if (options.folderId !== undefined) await checkFolder(tx, realm.id, options.folderId);
  return {
    authorize() {
      const creation = { realm, creator, memberships: known, systemGroups, options, groups };
      const historyPublicToSubscribers = checkCreationRights(creation);
      return {
        async insert(name, description) {
          const columns = await storeCreationGroups(tx, realm.id, groups);
          const channel = await insertChannel(tx, realm.id, {
            name,
            description,
            creatorId: creator.id,
            inviteOnly: options.inviteOnly,
            isWebPublic: options.isWebPublic,
            historyPublicToSubscribers,
            topicsPolicy: options.topicsPolicy,
            messageRetentionDays: retentionDays(options.messageRetentionDays),
            folderId: options.folderId ?? null,
            groups: columns,
            isDefault: options.isDefault,
          });
          if (!channel)
            for (const groupId of Object.values(columns)) await dropAnonymousGroup(tx, groupId);
          return channel;
        },
      };
    },
  };
}

/** An archived folder will do. */
async function checkFolder(tx: Tx, realmId: number, folderId: number): Promise<void> {
  const prisma = await tx.prisma();
  const folder = await prisma.channelFolder.findFirst({
    where: { realmId, id: folderId },
    select: { id: true },
  });
  if (!folder) throw errors.badRequest("There is no such channel folder");
}

function retentionDays(given: CreationOptions["messageRetentionDays"]): number | null {
  if (given === "realm_default") return null;
  return given === "unlimited" ? -1 : given;
}
