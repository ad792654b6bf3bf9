import { composed, type Composition, type RowOf, type Sql, statement, typed } from "@carillon/db";
import { pending } from "@carillon/scheduling";

import type { SeriesFilter, SeriesQuery } from "./filter.ts";

const pageSize = 50;

type RunOutcome = "sent" | "failed" | "withheld" | "skipped" | "missed";

/**
 * A series of messages for the operator, without texts and topics. Times are UNIX seconds.
 * - `channelId`: null for a direct conversation.
 * - `channelName`: null for a deleted channel, too.
 * - `nextId`: the scheduled message of the planned occurrence; null for none, like `nextAt` and `nextOccurrence`.
 * - `lastOccurrence`: local date of the last occurrence that was not skipped; null for none, like `lastOutcome`.
 * - `lastMessageId`: the message that it became, or the reply that withheld it.
 * - `now`: the database's clock.
 */
export type SeriesView = RowOf<typeof page>;

export interface SeriesPage {
  /** Latest first. */
  readonly rows: readonly SeriesView[];
  /** `before` of the next page; undefined on the last one. */
  readonly next: number | undefined;
}

const overrides = {
  state: typed<NonNullable<SeriesQuery["state"]>>(),
  pausedReason: typed<"manual" | "failures" | "author_deactivated" | "rule">(),
  lastOutcome: typed<RunOutcome>(),
};

/** Selects the page first, then its names, plans and last outcomes. */
const select = (
  from: string,
) => `SELECT m.id, m.realm_id AS "realmId", r.name AS "realmName", m.author_id AS "authorId",
    a.full_name AS "authorName", a.delivery_email AS "authorEmail", a.is_active AS "authorActive",
    m.channel_id AS "channelId", c.name AS "channelName", m.state, m.paused_reason AS "pausedReason",
    m.start, m.timezone, m.rrule, m.catch_up_seconds AS "catchUpSeconds", s.id AS "nextId",
    extract(epoch FROM s.deliver_at)::float8 AS "nextAt", to_char(s.occurrence, 'YYYY-MM-DD') AS "nextOccurrence",
    run.outcome AS "lastOutcome", to_char(run.occurrence, 'YYYY-MM-DD') AS "lastOccurrence",
    run.message_id AS "lastMessageId", m.sent_count AS "sentCount", m.consecutive_failures AS "consecutiveFailures",
    m.version, extract(epoch FROM m.created_at)::float8 AS "createdAt", extract(epoch FROM now())::float8 AS now
  FROM (${from}) m JOIN realms r ON r.id = m.realm_id JOIN users a ON a.id = m.author_id
    LEFT JOIN channels c ON c.id = m.channel_id
    LEFT JOIN scheduled_messages s ON s.series_id = m.id AND NOT s.detached AND ${pending("s")}
    LEFT JOIN LATERAL (SELECT n.outcome, n.occurrence, n.message_id FROM series_runs n
      WHERE n.series_id = m.id AND n.outcome <> 'skipped' ORDER BY n.occurrence DESC LIMIT 1) run ON true
  ORDER BY m.id DESC`;

/** Builds conditions only for given filters, so that each combination can use its index. */
export function composeSeries(filter: SeriesFilter, before?: number): Composition {
  const values: unknown[] = [];
  const value = (given: unknown, type: string) => `$${values.push(given)}::${type}`;
  const { realmId, authorIds, channelIds, state } = filter;
  const parts = ["true"];
  const order = ["m.id DESC"];
  // A range, in the order of its index: with an equation PostgreSQL may expect a match soon, and walk back along all ids.
  const inOrder = (column: string, given: string) => {
    parts.push(`${column} >= ${given} AND ${column} <= ${given}`);
    order.unshift(`${column} DESC`);
  };
  const isListed = authorIds === undefined && channelIds === undefined;
  if (realmId !== undefined) {
    const given = value(realmId, "int");
    if (isListed && state === undefined) inOrder("m.realm_id", given);
    else parts.push(`m.realm_id = ${given}`);
  }
  // PostgreSQL takes the order of an index for one id, and sorts all rows of several.
  const among = (column: string, ids: readonly number[]) =>
    ids.length === 1
      ? `${column} = ${value(ids[0], "int")}`
      : `${column} = ANY(${value(ids, "int[]")})`;
  if (authorIds !== undefined) parts.push(among("m.author_id", authorIds));
  if (channelIds !== undefined) parts.push(among("m.channel_id", channelIds));
  if (state !== undefined) {
    const given = value(state, "text");
    if (isListed) inOrder("m.state", given);
    else parts.push(`m.state = ${given}`);
  }
  if (before !== undefined) parts.push(`m.id < ${value(before, "bigint")}`);
  return {
    text: select(
      `SELECT * FROM message_series m WHERE ${parts.join(" AND ")} ORDER BY ${order.join(", ")} LIMIT ${pageSize + 1}`,
    ),
    values,
  };
}

const page = composed({
  name: "dashboard-series",
  overrides,
  compose: composeSeries,
  examples: (compose) => [
    compose({}),
    compose({ realmId: 1, authorIds: [1], channelIds: [1], state: "paused" }, 1),
    compose({ authorIds: [1, 2], channelIds: [1, 2] }),
    compose({ realmId: 1 }),
    compose({ realmId: 1, state: "paused" }),
  ],
});

/** Lists series, latest first. */
export async function listSeriesViews(
  sql: Sql,
  filter: SeriesFilter,
  before?: number,
): Promise<SeriesPage> {
  const rows = await page(sql, filter, before);
  const last = rows[pageSize - 1];
  const more = rows.length > pageSize && last !== undefined;
  return { rows: rows.slice(0, pageSize), next: more ? last.id : undefined };
}

const byId = statement({
  name: "dashboard-series-by-id",
  text: select("SELECT * FROM message_series m WHERE m.id = $1"),
  overrides,
});

const lastRuns = statement({
  name: "dashboard-series-runs",
  text: `SELECT to_char(n.occurrence, 'YYYY-MM-DD') AS occurrence, n.outcome, n.message_id AS "messageId", n.reason,
      extract(epoch FROM n.ended_at)::float8 AS "endedAt"
    FROM series_runs n WHERE n.series_id = $1 AND ($2::text::date IS NULL OR n.occurrence = $2::text::date)
    ORDER BY n.occurrence DESC LIMIT 100`,
  overrides: { outcome: typed<RunOutcome>() },
});

/** How an occurrence ended; `messageId`: the message, or the reply that withheld it. */
export type SeriesRunView = RowOf<typeof lastRuns>;

/** A series with how its occurrences ended. */
export interface FoundSeries extends SeriesView {
  /** The last 100, or only the one on the requested date. */
  readonly runs: readonly SeriesRunView[];
}

/**
 * Finds a series by its id.
 * @param occurrence local date, to find the outcome of one occurrence
 */
export async function findSeriesView(
  sql: Sql,
  id: number,
  occurrence?: string,
): Promise<FoundSeries | undefined> {
  const [view] = await sql.rows(byId, [id]);
  if (!view) return undefined;
  return { ...view, runs: await sql.rows(lastRuns, [id, occurrence ?? null]) };
}
