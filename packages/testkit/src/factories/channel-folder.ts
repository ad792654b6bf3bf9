import type { Database, Prisma } from "@carillon/db";
import { unique } from "./unique.ts";

/**
 * Creates a channel folder in the last position, without events or creator.
 * @returns its id and name
 */
export async function channelFolder(
  db: Database,
  realm: { readonly id: number },
  row: Partial<Prisma.ChannelFolderUncheckedCreateInput> = {},
): Promise<{ id: number; name: string }> {
  const { id, name } = await db.prisma.channelFolder.create({
    data: { name: unique("folder"), ...row, realmId: realm.id },
  });
  if (row.order === undefined)
    await db.prisma.channelFolder.update({ where: { id }, data: { order: id } });
  return { id, name };
}
