import {
  channelFolderAdded,
  type ChannelFolderObject,
  channelFoldersReordered,
  channelFolderUpdated,
  errors,
  type LoggedFields,
  maxChannelFolders,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  administerOrganization,
  type AuditEntry,
  checkFolderDescription,
  checkFolderName,
  checkFolderNameIsFree,
  listChannelFolders,
  loadChannelFolder,
  recordAudit,
  renderChannelDescription,
} from "@carillon/model";

import { reordering } from "./reordering.ts";

/**
 * Creates a channel folder at the end of the order (channels.md §6), and sends an event to all users.
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
  const existing = await prisma.channelFolder.count({ where: { realmId } });
  if (existing >= maxChannelFolders)
    throw errors.badRequest(
      `An organization cannot have more than ${maxChannelFolders} channel folders, archived ones included`,
    );
  const { id } = await prisma.channelFolder.create({
    data: { realmId, name, description, renderedDescription, creatorId: actor.id },
    select: { id: true },
  });
  // Sorts last: the order of an older folder is its own id, or an index below the number of folders.
  await prisma.channelFolder.update({ where: { id }, data: { order: id }, select: { id: true } });
  const folder = await loadChannelFolder(tx, realmId, id);
  if (!folder) throw new Error(`the channel folder ${id} was not inserted`);
  recordAudit(tx, realmId, actor.id, [
    { type: "channel_folder_created", data: { channel_folder_id: id } },
  ]);
  emit(tx, realmId, [channelFolderAdded({ channel_folder: folder })]);
  return id;
}

interface FolderChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly isArchived?: boolean | undefined;
}

type Changed = LoggedFields<typeof channelFolderUpdated>["data"];

/**
 * Changes a channel folder, which may be archived (channels.md §6), and sends the changes to all users. Fields that
 * already have the requested value are neither checked nor sent.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`; nothing has changed then
 */
export async function updateChannelFolder(
  tx: Tx,
  actor: Account,
  folderId: number,
  wanted: FolderChanges,
): Promise<void> {
  const { realmId } = actor;
  await administerOrganization(tx, actor);
  if (wanted.description !== undefined) checkFolderDescription(wanted.description);
  const folder = await loadChannelFolder(tx, realmId, folderId);
  if (!folder) throw errors.badRequest("There is no such channel folder");
  const changed = {
    ...(await newName(tx, realmId, folder, wanted.name)),
    ...newDescription(folder, wanted.description),
    ...(await newArchived(tx, folder, wanted.isArchived)),
  };
  if (Object.keys(changed).length === 0) return;
  const prisma = await tx.prisma();
  await prisma.channelFolder.update({
    where: { id: folderId },
    data: {
      name: changed.name ?? folder.name,
      description: changed.description ?? folder.description,
      renderedDescription: changed.rendered_description ?? folder.rendered_description,
      isArchived: changed.is_archived ?? folder.is_archived,
    },
    select: { id: true },
  });
  recordAudit(tx, realmId, actor.id, auditOf(folder, changed));
  emit(tx, realmId, [channelFolderUpdated({ channel_folder_id: folderId, data: changed })]);
}

async function newName(
  tx: Tx,
  realmId: number,
  folder: ChannelFolderObject,
  wanted: string | undefined,
): Promise<Pick<Changed, "name">> {
  if (wanted === undefined || wanted === folder.name) return {};
  const name = checkFolderName(wanted);
  if (name === folder.name) return {};
  await checkFolderNameIsFree(tx, realmId, name, folder.id);
  return { name };
}

function newDescription(
  folder: ChannelFolderObject,
  description: string | undefined,
): Pick<Changed, "description" | "rendered_description"> {
  if (description === undefined || description === folder.description) return {};
  return { description, rendered_description: renderChannelDescription(description) };
}

/**
 * Checks whether the folder can be archived. This takes no lock against requests that put a channel into the folder:
 * archived folders accept channels too, so such a request is valid after the archiving as well.
 */
async function newArchived(
  tx: Tx,
  folder: ChannelFolderObject,
  is_archived: boolean | undefined,
): Promise<Pick<Changed, "is_archived">> {
  if (is_archived === undefined || is_archived === folder.is_archived) return {};
  const prisma = await tx.prisma();
  const inside = is_archived
    ? await prisma.channel.findFirst({ where: { folderId: folder.id }, select: { id: true } })
    : null;
  if (inside)
    throw errors.badRequest(
      "A folder cannot be archived while there are channels in it, archived ones too: take them out first",
    );
  return { is_archived };
}

function auditOf(before: ChannelFolderObject, changed: Changed): AuditEntry[] {
  const { name, description, is_archived } = changed;
  const of = { channel_folder_id: before.id };
  return [
    ...(name === undefined
      ? []
      : [{ type: "channel_folder_renamed", data: { ...of, old: before.name, new: name } }]),
    ...(description === undefined
      ? []
      : [
          {
            type: "channel_folder_description_changed",
            data: { ...of, old: before.description, new: description },
          },
        ]),
    ...(is_archived === undefined
      ? []
      : [
          { type: is_archived ? "channel_folder_archived" : "channel_folder_unarchived", data: of },
        ]),
  ];
}

const reorder = reordering("channel_folders");

/**
 * Puts the organization's folders into the order of the list (channels.md §6), and sends an event to all users if the
 * order changes.
 * @param order ids of all folders, archived ones too
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`; `BAD_REQUEST` unless the list names each folder exactly once
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
