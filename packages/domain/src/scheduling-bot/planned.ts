import { statement } from "@carillon/db";
import { findChannel, loadAccounts, loadUserVisibility, unknownName } from "@carillon/model";
import { scheduledKind, undelivered } from "@carillon/scheduling";

import {
  scheduledColumns,
  scheduledOverrides,
  scheduledTables,
  type ScheduledRow,
} from "../scheduled/row.ts";
import {
  isPlanned,
  readPlanned,
  readSeries,
  type SeriesRow,
} from "../scheduled/series/series-row.ts";
import type { BotContext } from "./context.ts";
import type { ShownPlace, ShownTime } from "./shown-values.ts";
import type { ListedLine } from "./texts.ts";

/** Maximum number of lines in a list. */
const maxLines = 20;

/** SQL: unsent messages and reminders of an account, without the planned occurrences of series. */
const ownRows = `s.sender_id = $1 AND ${undelivered("s")} AND NOT (${isPlanned("s")})`;

const nextRows = statement({
  name: "bot-planned",
  text: `SELECT ${scheduledColumns} FROM ${scheduledTables} WHERE ${ownRows} ORDER BY s.deliver_at, s.id LIMIT ${maxLines}`,
  overrides: scheduledOverrides,
});

const count = statement({
  name: "bot-planned-count",
  text: `SELECT count(*)::int AS total FROM scheduled_messages s WHERE ${ownRows}`,
});

/** Has no LIMIT: an account has at most 100 series that have not ended. */
const ownSeries = statement({
  name: "bot-planned-series",
  text: `SELECT id FROM message_series m WHERE m.author_id = $1 AND m.state <> 'ended' ORDER BY m.id`,
});

interface Planned {
  /** UNIX seconds; infinite for a series that is paused. */
  readonly at: number;
  readonly line: () => Promise<ListedLine>;
}

/** Lists the next 20 of the account's unsent messages, reminders and series, and counts all. */
export async function listPlanned(
  context: BotContext,
): Promise<{ readonly lines: ListedLine[]; readonly total: number }> {
  const { tx, actor } = context;
  const rows = await tx.rows(nextRows, [actor.id]);
  const ids = (await tx.rows(ownSeries, [actor.id])).map(({ id }) => id);
  const [series, next] = [await readSeries(tx, ids), await readPlanned(tx, ids)];
  const planned: Planned[] = [
    ...rows.map((row) => ({ at: row.deliverAt, line: () => lineOfRow(context, row) })),
    ...[...series.values()].map((each) => {
      const at = next.get(each.id)?.deliverAt;
      return { at: at ?? Infinity, line: () => lineOfSeries(context, each, at) };
    }),
  ];
  const lines: ListedLine[] = [];
  for (const { line } of planned.sort((a, b) => a.at - b.at || 0).slice(0, maxLines))
    lines.push(await line());
  const counted = await tx.first(count, [actor.id]);
  return { lines, total: (counted?.total ?? 0) + series.size };
}

async function lineOfRow(context: BotContext, row: ScheduledRow): Promise<ListedLine> {
  const isReminder = row.kind === scheduledKind.reminder;
  return {
    id: String(row.id),
    kind: isReminder ? "reminder" : "message",
    place: isReminder ? undefined : await placeOfRow(context, row),
    time: timeOf(context, row.deliverAt, context.timezone),
    state: row.failed ? "failed" : undefined,
    text: isReminder ? (row.note ?? "") : row.content,
  };
}

async function lineOfSeries(
  context: BotContext,
  series: SeriesRow,
  at: number | undefined,
): Promise<ListedLine> {
  return {
    id: `s${series.id}`,
    kind: "series",
    place: await placeOfRow(context, series),
    time: at === undefined ? undefined : timeOf(context, at, series.timezone),
    state: series.state === "paused" ? "paused" : undefined,
    text: series.content,
  };
}

function timeOf({ zones }: BotContext, at: number, timezone: string): ShownTime {
  const { localTime } = zones.toLocal(at, timezone);
  return { instant: Math.floor(at), localTime, timezone };
}

/** Returns the place of a scheduled message or a series, without channels and names that the person may not see. */
export async function placeOfRow(
  { tx, actor, realm }: BotContext,
  { channelId, memberIds, topic }: Pick<ScheduledRow, "channelId" | "memberIds" | "topic">,
): Promise<ShownPlace> {
  if (channelId !== null) {
    const channel = await findChannel(tx, actor, channelId, { access: "metadata", archived: true });
    return { kind: "channel", channel, topic };
  }
  const others = (memberIds ?? []).filter((id) => id !== actor.id);
  if (others.length === 0) return { kind: "me" };
  const accounts = await loadAccounts(tx, realm.id, others);
  const { sees } = await loadUserVisibility(tx, actor);
  const names = others.map((id) => {
    const account = accounts.get(id);
    return account && sees(account) ? account.fullName : unknownName;
  });
  return { kind: "people", names };
}
