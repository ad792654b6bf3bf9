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

/**
 * Lists the channel among those that new members are subscribed to, or takes it out. The transaction has the group graph
 * alone: the event tells the whole list, and newcomers are subscribed to all of it.
 * @returns whether that is new
 */
export async function storeDefaultChannel(
  tx: Tx,
  channelId: number,
  isDefault: boolean,
): Promise<boolean> {
  const { defaultChannel } = await tx.prisma();
  const { count } = isDefault
    ? await defaultChannel.createMany({ data: { channelId }, skipDuplicates: true })
    : await defaultChannel.deleteMany({ where: { channelId } });
  return count > 0;
}
