import { composed, type Composition, type RowOf, type Sql, typed } from "@carillon/db";
import { scheduledKind } from "@carillon/scheduling";
import type { Cursor } from "../http/parameters.ts";
import { conditionOf, exampleFilters, type FailedFilter } from "./filter.ts";

const pageSize = 50;

/**
 * A scheduled message or reminder that could not be sent.
 * - `at`: microseconds of the UNIX epoch.
 * - `sendable`: whether the scheduled message is still failed in this version.
 * - `senderName`: null for a deleted account, like all names.
 * - `channelId`: null for a direct conversation.
 * - `dueAt`: UNIX seconds, like all times but `at`.
 * - `since`: state of the scheduled message now.
 * - `noticeId`: the notice to the sender; null if there was none.
 * - `notice`: its text; null if it was removed.
 * - `now`: the database's clock.
 */
export type FailedRow = RowOf<typeof page>;

export interface FailedPage {
  readonly rows: readonly FailedRow[];
  /** Cursor of the next page, if there is one. */
  readonly next: Cursor | undefined;
}

/** Selects the page first, then its names, so that nothing is read for other rows. */
export function composePage(filter: FailedFilter, after?: Cursor): Composition {
  const { text, values } = conditionOf(filter);
  const [at, id] = [values.length + 1, values.length + 2];
  const from =
    after === undefined
      ? ""
      : `AND (f.failed_at, f.id) < (timestamptz 'epoch' + $${at}::bigint * interval '1 microsecond', $${id}::bigint)`;
  return {
    text: `SELECT f.id, (extract(epoch FROM f.failed_at) * 1000000)::bigint AS at,
        f.scheduled_message_id AS "scheduledMessageId", f.version, f.acknowledged_by AS "acknowledgedBy",
        s.failed AND NOT s.delivered AND s.version = f.version AS sendable,
        CASE f.kind WHEN ${scheduledKind.reminder} THEN 'reminder' ELSE 'message' END AS kind,
        f.realm_id AS "realmId", r.name AS "realmName", f.sender_id AS "senderId", u.full_name AS "senderName",
        u.delivery_email AS "senderEmail", f.channel_id AS "channelId", c.name AS "channelName",
        extract(epoch FROM f.due_at)::float8 AS "dueAt", extract(epoch FROM f.failed_at)::float8 AS "failedAt", f.reason,
        CASE WHEN s.id IS NULL THEN 'deleted' WHEN s.delivered THEN 'delivered' WHEN s.failed THEN 'failed'
          ELSE 'pending' END AS since,
        f.notice_id AS "noticeId", m.content AS notice, um.flags & 1 = 1 AS "noticeRead", f.process,
        extract(epoch FROM now())::float8 AS now
      FROM (SELECT * FROM delivery_failures f WHERE ${text} ${from}
          ORDER BY f.failed_at DESC, f.id DESC LIMIT ${pageSize + 1}) f
        JOIN realms r ON r.id = f.realm_id
        LEFT JOIN users u ON u.id = f.sender_id
        LEFT JOIN channels c ON c.id = f.channel_id
        LEFT JOIN scheduled_messages s ON s.id = f.scheduled_message_id
        LEFT JOIN messages m ON m.id = f.notice_id
        LEFT JOIN user_messages um ON um.message_id = f.notice_id AND um.user_id = f.sender_id
      ORDER BY f.failed_at DESC, f.id DESC`,
    values: after === undefined ? values : [...values, ...after],
  };
}

const page = composed({
  name: "dashboard-failed",
  overrides: {
    kind: typed<"message" | "reminder">(),
    /** State of the scheduled message now. */
    since: typed<"failed" | "deleted" | "pending" | "delivered">(),
  },
  compose: composePage,
  examples: (compose) =>
    exampleFilters.flatMap((filter) => [compose(filter), compose(filter, [1, 1])]),
});

/** Lists failures, latest first. */
export async function listFailed(
  sql: Sql,
  filter: FailedFilter,
  after?: Cursor,
): Promise<FailedPage> {
  const rows = await page(sql, filter, after);
  const last = rows[pageSize - 1];
  const more = rows.length > pageSize && last !== undefined;
  return { rows: rows.slice(0, pageSize), next: more ? [last.at, last.id] : undefined };
}
