import { statement, type Tx } from "@carillon/db";
import type { SeriesRow } from "./series-row.ts";

/** A series to store. */
export type NewSeries = Pick<
  SeriesRow,
  | "realmId"
  | "authorId"
  | "recipientId"
  | "channelId"
  | "memberIds"
  | "topic"
  | "content"
  | "clientId"
  | "readBySender"
  | "start"
  | "timezone"
  | "rrule"
  | "excludedDates"
  | "template"
  | "unless"
  | "catchUpSeconds"
  | "canManageGroupId"
>;

/** Stores a new, active series. */
export async function insertSeries(tx: Tx, series: NewSeries): Promise<SeriesRow> {
  const prisma = await tx.prisma();
  const { id } = await prisma.messageSeries.create({
    data: {
      realmId: series.realmId,
      authorId: series.authorId,
      recipientId: series.recipientId,
      channelId: series.channelId,
      topic: series.topic,
      content: series.content,
      clientId: series.clientId,
      readBySender: series.readBySender,
      start: series.start,
      timezone: series.timezone,
      rrule: series.rrule,
      excludedDates: [...series.excludedDates],
      template: series.template,
      ...(series.unless && { unless: series.unless }),
      catchUpSeconds: series.catchUpSeconds,
      canManageGroupId: series.canManageGroupId,
    },
    select: { id: true },
  });
  return {
    id,
    ...series,
    authorActive: true,
    state: "active",
    pausedReason: null,
    lastOccurrence: null,
    sentCount: 0,
    consecutiveFailures: 0,
    managersNotified: false,
    version: 1,
  };
}

const update = statement({
  name: "series-update",
  text: `UPDATE message_series SET author_id = $2, recipient_id = $3, channel_id = $4, topic = $5, content = $6,
      client_id = $7, read_by_sender = $8, start = $9, timezone = $10, rrule = $11, excluded_dates = $12, template = $13,
      catch_up_seconds = $14, can_manage_group_id = $15, state = $16, paused_reason = $17, last_occurrence = $18::text::date,
      consecutive_failures = $19, managers_told = $20, unless = $21, version = version + 1
    WHERE id = $1 RETURNING version`,
});

/** Stores changed fields of a locked series, and increments its version. */
export async function updateSeries(
  tx: Tx,
  series: SeriesRow,
  changes: Partial<SeriesRow>,
): Promise<SeriesRow> {
  const next = { ...series, ...changes };
  const stored = await tx.first(update, [
    next.id,
    next.authorId,
    next.recipientId,
    next.channelId,
    next.topic,
    next.content,
    next.clientId,
    next.readBySender,
    next.start,
    next.timezone,
    next.rrule,
    next.excludedDates,
    next.template,
    next.catchUpSeconds,
    next.canManageGroupId,
    next.state,
    next.pausedReason,
    next.lastOccurrence,
    next.consecutiveFailures,
    next.managersNotified,
    json(next.unless),
  ]);
  if (!stored) throw new Error(`series ${series.id} was not updated`);
  return { ...next, version: stored.version };
}

function json(unless: SeriesRow["unless"]): string | null {
  return unless && JSON.stringify(unless);
}
