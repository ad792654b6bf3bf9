import { column, statement, type Sql, type Tx } from "@carillon/db";

const listed = statement({
  name: "is-default-channel",
  text: "SELECT EXISTS (SELECT FROM default_channels WHERE channel_id = $1) AS is",
  row: { is: column.bool },
});

/** Whether new members are subscribed to the channel. */
export async function isDefaultChannel(sql: Sql, channelId: number): Promise<boolean> {
  const [row] = await sql.rows(listed, [channelId]);
  return row?.is ?? false;
}

/** Lists the channel among those that new members are subscribed to, or takes it out. */
export async function storeDefaultChannel(
  tx: Tx,
  channelId: number,
  isDefault: boolean,
): Promise<void> {
  const prisma = await tx.prisma();
  if (isDefault) await prisma.defaultChannel.create({ data: { channelId } });
  else await prisma.defaultChannel.delete({ where: { channelId } });
}
