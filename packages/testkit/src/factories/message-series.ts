import type { Database, Prisma } from "@carillon/db";
import { clientIdOf } from "@carillon/model";

import type { TestChannel } from "./channel.ts";
import { unique } from "./unique.ts";

/**
 * Creates a daily series as a row only, without a planned occurrence, checks or events, for states that no operation
 * creates; use the gateway to create series otherwise.
 * @param row any column
 * @returns the id
 */
export async function messageSeries(
  db: Database,
  author: { readonly id: number; readonly realmId: number },
  to: TestChannel,
  row: Partial<Prisma.MessageSeriesUncheckedCreateInput> = {},
): Promise<number> {
  const { realmId, id: authorId } = author;
  const nobody = await db.prisma.userGroup.findFirstOrThrow({
    where: { realmId, named: { name: "role:nobody" } },
    select: { id: true },
  });
  const { id } = await db.prisma.messageSeries.create({
    data: {
      realmId,
      authorId,
      recipientId: to.recipientId,
      channelId: to.id,
      topic: unique("topic"),
      content: unique("content"),
      clientId: await clientIdOf(db, "test"),
      readBySender: false,
      start: "2026-01-01T09:00:00",
      timezone: "Etc/UTC",
      rrule: "FREQ=DAILY",
      canManageGroupId: nobody.id,
      ...row,
    },
    select: { id: true },
  });
  return id;
}
