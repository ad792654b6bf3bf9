import {
  createMessageSeries,
  listMessageSeries,
  listSeriesOccurrences,
  type MessageSeries,
  type SeriesRun,
} from "@carillon/contract";
import type { Database } from "@carillon/db";
import type { GatewayClient, Params } from "../gateway-client.ts";
import { deliverNow } from "./delivery.ts";

/** Parameters of a series that sends a channel message every day, and has done so for a year. */
export function dailySeries(channelId: number, over: Params = {}): Params {
  const lastYear = new Date().getUTCFullYear() - 1;
  return {
    type: "channel",
    to: channelId,
    topic: "stand-up",
    content: "What do you do today?",
    start: `${lastYear}-01-01T09:00`,
    timezone: "Etc/UTC",
    rrule: "FREQ=DAILY",
    ...over,
  };
}

/** Creates a series; expects success. */
export async function createdSeries(client: GatewayClient, params: Params): Promise<number> {
  return (await client.succeed(createMessageSeries, { params })).series_id;
}

/** A series as the account sees it. */
export async function seriesOf(client: GatewayClient, id: number): Promise<MessageSeries> {
  const { message_series: list } = await client.succeed(listMessageSeries);
  const found = list.find(({ series_id }) => series_id === id);
  if (!found) throw new Error(`the series ${id} is not listed`);
  return found;
}

/** How the occurrences of a series ended, newest first. */
export async function runsOf(client: GatewayClient, id: number): Promise<SeriesRun[]> {
  const answer = await client.succeed(listSeriesOccurrences, { path: { series_id: id } });
  return answer.runs;
}

/** Delivers the planned occurrence of a series as if it were due a second ago; does nothing if none is planned. */
export async function deliverPlanned(
  db: Database,
  realm: { readonly id: number },
  client: GatewayClient,
  seriesId: number,
): Promise<void> {
  const { next_scheduled_message_id: planned } = await seriesOf(client, seriesId);
  await deliverNow(db, realm, planned === null ? [] : [planned]);
}

/** Moves the planned occurrence of a series so many days and seconds into the past, as if nothing had run since. */
export async function movePlanned(
  db: Database,
  seriesId: number,
  { days, seconds = 0 }: { readonly days: number; readonly seconds?: number },
): Promise<void> {
  await db.rows(
    `UPDATE scheduled_messages SET occurrence = occurrence - $2::int,
       deliver_at = deliver_at - make_interval(days => $2, secs => $3)
     WHERE series_id = $1 AND NOT detached AND NOT delivered AND NOT failed`,
    [seriesId, days, seconds],
  );
}

/** A series whose occurrence of today is due. */
export interface DueSeries {
  readonly id: number;
  /** Local date of the due occurrence. */
  readonly date: string;
  /** Its scheduled message. */
  readonly rowId: number;
}

/**
 * Creates a daily series whose last occurrence was due a minute ago and has not been delivered. It lives in a zone where it
 * is about noon, so that no date changes meanwhile.
 */
export async function dueSeries(
  db: Database,
  client: GatewayClient,
  params: Params,
): Promise<DueSeries> {
  const due = new Date(Date.now() - 60_000);
  const ahead = 12 - due.getUTCHours();
  const local = new Date(due.getTime() + ahead * 3_600_000).toISOString();
  const id = await createdSeries(client, {
    ...params,
    start: `${due.getUTCFullYear() - 1}-01-01T${local.slice(11, 19)}`,
    // The sign of these zones is the other way round.
    timezone: `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`,
    rrule: "FREQ=DAILY",
  });
  await movePlanned(db, id, { days: 1 });
  const { next_occurrence: date, next_scheduled_message_id: rowId } = await seriesOf(client, id);
  if (date === null || rowId === null) throw new Error(`the series ${id} has nothing planned`);
  return { id, date, rowId };
}

/**
 * Makes each pending channel or direct message the planned occurrence of a daily series of its sender, whose date is that of
 * its time in UTC.
 */
export async function makeSeries(db: Database, ids: readonly number[]): Promise<void> {
  await db.rows(
    `WITH numbered AS MATERIALIZED (
       SELECT s.*, nextval('message_series_id_seq')::int AS own_id, s.deliver_at AT TIME ZONE 'UTC' AS local
       FROM scheduled_messages s WHERE s.id = ANY($1::bigint[]) ORDER BY s.id
     ),
     made AS (
       INSERT INTO message_series (id, realm_id, author_id, recipient_id, channel_id, topic, content, client_id,
         read_by_sender, start, timezone, rrule, can_manage_group_id)
       SELECT n.own_id, n.realm_id, n.sender_id, n.recipient_id, n.channel_id, n.topic, n.content, n.client_id,
         n.read_by_sender, to_char(n.local - interval '365 days', 'YYYY-MM-DD"T"HH24:MI:SS'), 'Etc/UTC', 'FREQ=DAILY',
         g.id
       FROM numbered n JOIN named_user_group g ON g.realm_id = n.realm_id AND g.name = 'role:nobody'
     )
     UPDATE scheduled_messages s SET series_id = n.own_id, occurrence = n.local::date,
       local_time = to_char(n.local, 'YYYY-MM-DD"T"HH24:MI:SS'), tzdata = $2
     FROM numbered n WHERE s.id = n.id`,
    [ids, process.versions["tz"]],
  );
}
