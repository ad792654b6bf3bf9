import {
  type Account,
  administerOrganization,
  listChannelFolders,
  recordAudit,
} from "@carillon/model";
import { channelFoldersReordered, errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

const reorder = statement({
  name: "reorder-channel-folders",
  text: `UPDATE channel_folders f SET "order" = wanted.place - 1
    FROM unnest($2::int[]) WITH ORDINALITY AS wanted (id, place)
    WHERE f.realm_id = $1 AND f.id = wanted.id AND f."order" <> wanted.place - 1`,
  row: {},
});

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
