import {
  createMessageSeries,
  listMessageSeries,
  listSeriesOccurrences,
  type MessageSeries,
  type SeriesRun,
} from "@carillon/contract";
import type { Database } from "@carillon/db";
import type { GatewayClient, Params } from "../gateway-client.ts";

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
