import {
  type Account,
  administerOrganization,
  listChannelFolders,
  recordAudit,
} from "@carillon/model";
import { channelFoldersReordered, errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { reordering } from "../order/reordering.ts";

const reorder = reordering("channel_folders");

/**
 * Gives the organization's folders the order of the list (channels.md §6), and tells everybody unless they have it.
 * @param order ids of all folders, archived ones too
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`; `BAD_REQUEST` unless each folder is there once, and nothing else
 */
export async function reorderChannelFolders(
  tx: Tx,
  actor: Account,
  order: readonly number[],
): Promise<void> {
  const { realmId } = actor;
  await administerOrganization(tx, actor);
  const folders = await listChannelFolders(tx, realmId, { archived: true });
  const named = new Set(order);
  if (named.size < order.length) throw errors.badRequest("order must name each folder once");
  if (named.size !== folders.length || folders.some(({ id }) => !named.has(id)))
    throw errors.badRequest(
      "order must name all channel folders of the organization, archived ones too, and nothing else",
    );
  if ((await tx.count(reorder, [realmId, order])) === 0) return;
  recordAudit(tx, realmId, actor.id, [
    { type: "channel_folders_reordered", data: { old: folders.map(({ id }) => id), new: order } },
  ]);
  emit(tx, realmId, [channelFoldersReordered({ order: [...order] })]);
}
