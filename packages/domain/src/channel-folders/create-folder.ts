import {
  type Account,
  administerOrganization,
  checkFolderDescription,
  checkFolderName,
  checkFolderNameIsFree,
  loadChannelFolder,
  recordAudit,
  renderChannelDescription,
} from "@carillon/model";
import { bounds, channelFolderAdded, errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

/**
 * Creates a folder of channels, the last one in their order (channels.md §6), and tells everybody.
 * @returns its id
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function createChannelFolder(
  tx: Tx,
  actor: Account,
  given: { readonly name: string; readonly description: string },
): Promise<number> {
  const { realmId } = actor;
  await administerOrganization(tx, actor);
  const description = checkFolderDescription(given.description);
  const name = checkFolderName(given.name);
  const renderedDescription = renderChannelDescription(description);
  await checkFolderNameIsFree(tx, realmId, name);
  const prisma = await tx.prisma();
  const there = await prisma.channelFolder.count({ where: { realmId } });
  if (there >= bounds.channelFolders)
    throw errors.badRequest(
      `An organization cannot have more than ${bounds.channelFolders} channel folders, archived ones included`,
    );
  const { id } = await prisma.channelFolder.create({
    data: { realmId, name, description, renderedDescription, creatorId: actor.id },
    select: { id: true },
  });
  // After all others: an order is an older folder's id, or an index below the number of folders.
  await prisma.channelFolder.update({ where: { id }, data: { order: id }, select: { id: true } });
  const folder = await loadChannelFolder(tx, realmId, id);
  if (!folder) throw new Error(`the channel folder ${id} was not inserted`);
  recordAudit(tx, realmId, actor.id, [
    { type: "channel_folder_created", data: { channel_folder_id: id } },
  ]);
  emit(tx, realmId, [channelFolderAdded({ channel_folder: folder })]);
  return id;
}
