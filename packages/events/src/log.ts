import type { Sql } from "@carillon/db";

import type { LoggedEvent } from "./queue-options.ts";

/** A row of the log, with what it weighs in memory, in bytes, roughly. */
export interface LogRow {
  readonly event: LoggedEvent;
  readonly weight: number;
}

interface Row {
  seq: number;
  type: string;
  op: string | null;
  payload: string;
  audience: number[] | null;
  userData: LoggedEvent["userData"];
}

const columns = `seq, type, op, payload::text AS payload, audience, user_data AS "userData"`;

const tail = {
  name: "event-log-tail",
  text: `SELECT ${columns} FROM event_log WHERE realm_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
};

/** The rows after number `after`, oldest first: there is no gap between them. */
export async function readLog(
  sql: Sql,
  realmId: number,
  after: number,
  limit: number,
): Promise<LogRow[]> {
  return (await sql.rows<Row>(tail, [realmId, after, limit])).map(logRow);
}

const forUser = {
  name: "event-log-for-user",
  text: `SELECT ${columns} FROM event_log
    WHERE realm_id = $1 AND seq > $2 AND seq <= $3
      AND (audience IS NULL OR audience @> ARRAY[$4::int] OR ($5 AND type = 'message'))
    ORDER BY seq LIMIT $6`,
};

/** What one account may be told of the rows after `after` up to `until`; for a queue that is far behind. */
export async function readLogFor(
  sql: Sql,
  queue: { realmId: number; userId: number; allPublicChannels: boolean },
  range: { after: number; until: number; limit: number },
): Promise<LogRow[]> {
  const { realmId, userId, allPublicChannels } = queue;
  const { after, until, limit } = range;
  const rows = await sql.rows<Row>(forUser, [
    realmId,
    after,
    until,
    userId,
    allPublicChannels,
    limit,
  ]);
  return rows.map(logRow);
}

/** Whether the log still has the row of this number. */
export async function logHas(sql: Sql, realmId: number, seq: number): Promise<boolean> {
  const rows = await sql.rows(
    { name: "event-log-has", text: "SELECT 1 FROM event_log WHERE realm_id = $1 AND seq = $2" },
    [realmId, seq],
  );
  return rows.length > 0;
}

/** The number of the organization's last event; 0 before the first. */
export async function readHead(sql: Sql, realmId: number): Promise<number> {
  const [head] = await sql.rows<{ seq: number }>(
    { name: "event-head", text: "SELECT seq FROM event_head WHERE realm_id = $1" },
    [realmId],
  );
  return head?.seq ?? 0;
}

/** The last numbers of several organizations. */
export async function readHeads(
  sql: Sql,
  realmIds: readonly number[],
): Promise<Array<{ realmId: number; seq: number }>> {
  return sql.rows(
    {
      name: "event-heads",
      text: `SELECT realm_id AS "realmId", seq FROM event_head WHERE realm_id = ANY($1::int[])`,
    },
    [realmIds],
  );
}

/** What a row costs beside its texts, in bytes. */
const overhead = 300;

function logRow({ payload, ...row }: Row): LogRow {
  return {
    event: { ...row, payload: JSON.parse(payload) as LoggedEvent["payload"] },
    // The parsed payload takes about twice its text.
    weight: overhead + payload.length * 2 + (row.audience?.length ?? 0) * 8,
  };
}
