import { composed, type Composition, type RowOf, type Sql, typed } from "@carillon/db";

/** Filters of the audit log, combined with AND. */
export interface AuditFilter {
  readonly realmId?: number;
  /** Entries whose actor or changed account is one of these. */
  readonly userIds?: readonly number[];
  /** The complete type of an entry, such as `user_deactivated`. */
  readonly type?: string;
  /** UNIX seconds, inclusive. */
  readonly since?: number;
  /** UNIX seconds, exclusive. */
  readonly until?: number;
}

export interface AuditPageOptions {
  /** Maximum entries of a page. */
  readonly limit: number;
  /** Only entries with a lower id: `next` of the previous page. */
  readonly before?: number;
}

/**
 * An audit log entry with the names of its accounts.
 * - `at`: UNIX seconds.
 * - `actingUserId`: null if an operator or the server acted; `data.operator` names an operator of the dashboard.
 * - `actingUserName`: names are null if the account no longer exists.
 * - `userId`: the changed account; null if the entry is about something else.
 */
export type AuditLine = RowOf<typeof lines>;

export interface AuditPage {
  /** Latest first. */
  readonly lines: readonly AuditLine[];
  /** `before` of the next page; undefined on the last one. */
  readonly next: number | undefined;
}

/** Selects the page first and joins names to it, so that names are read only for the entries of the page. */
function compose(filter: AuditFilter, { limit, before }: AuditPageOptions): Composition {
  const { realmId, userIds, type, since, until } = filter;
  const values: unknown[] = [];
  const value = (given: unknown, sqlType: string) => `$${values.push(given)}::${sqlType}`;
  const parts = ["true"];
  if (realmId !== undefined) parts.push(`a.realm_id = ${value(realmId, "int")}`);
  if (userIds !== undefined) {
    const ids = value(userIds, "int[]");
    parts.push(`(a.acting_user_id = ANY(${ids}) OR a.modified_user_id = ANY(${ids}))`);
  }
  if (type !== undefined) parts.push(`a.event_type = ${value(type, "text")}`);
  if (since !== undefined) parts.push(`a.event_time >= to_timestamp(${value(since, "float8")})`);
  if (until !== undefined) parts.push(`a.event_time < to_timestamp(${value(until, "float8")})`);
  if (before !== undefined) parts.push(`a.id < ${value(before, "bigint")}`);
  return {
    text: `SELECT a.id, extract(epoch FROM a.event_time)::float8 AS at, a.realm_id AS "realmId", r.name AS "realmName",
        a.event_type AS type, a.acting_user_id AS "actingUserId", u.full_name AS "actingUserName",
        u.delivery_email AS "actingUserEmail", a.modified_user_id AS "userId", m.full_name AS "userName",
        m.delivery_email AS "userEmail", a.extra_data AS data
      FROM (SELECT * FROM audit_log a WHERE ${parts.join(" AND ")} ORDER BY a.id DESC LIMIT ${value(limit + 1, "int")}) a
        JOIN realms r ON r.id = a.realm_id
        LEFT JOIN users u ON u.id = a.acting_user_id
        LEFT JOIN users m ON m.id = a.modified_user_id
      ORDER BY a.id DESC`,
    values,
  };
}

const lines = composed({
  name: "operator-audit",
  overrides: { data: typed<Readonly<Record<string, unknown>>>() },
  compose,
  examples: (make) => [
    make({}, { limit: 1 }),
    make({ realmId: 1, userIds: [1], type: "x", since: 1, until: 2 }, { limit: 1, before: 1 }),
  ],
});

/** Reads a page of the audit log of one or all organizations, latest entries first. */
export async function readAudit(
  sql: Sql,
  filter: AuditFilter,
  options: AuditPageOptions,
): Promise<AuditPage> {
  const rows = await lines(sql, filter, options);
  const shown = rows.slice(0, options.limit);
  return { lines: shown, next: rows.length > options.limit ? shown.at(-1)?.id : undefined };
}
