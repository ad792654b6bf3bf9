import {
  type Account,
  type AuditEntry,
  administerOrganization,
  checkFolderDescription,
  checkFolderName,
  checkFolderNameIsFree,
  loadChannelFolder,
  recordAudit,
  renderChannelDescription,
} from "@carillon/model";
import {
  type ChannelFolderObject,
  channelFolderUpdated,
  errors,
  type LoggedFields,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

export interface FolderChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly isArchived?: boolean | undefined;
}

type Changed = LoggedFields<typeof channelFolderUpdated>["data"];

/**
 * Changes a folder of channels, archived ones too (channels.md §6), and tells everybody what is new. What is as it
 * should be already is neither checked nor told.
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
 * Who puts a channel into a folder does not wait, and need not: an archived folder takes channels too, so that one which
 * comes while the folder is archived came after that.
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
