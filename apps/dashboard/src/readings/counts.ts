import { pending, undelivered, type Sql } from "@carillon/db";
import { alarmHorizonMs } from "@carillon/jobs";

/** How many rows there are of each kind that an operator asks about. Counting grows with what is counted. */
export interface Counts {
  /** Pending scheduled messages that are due within the time for which alarms are in the queue. */
  readonly pendingWithin: number;
  readonly pendingAfter: number;
  readonly failed: number;
  readonly intentsPending: number;
  readonly deadLetters: number;
}

/**
 * The failed ones are what is neither delivered nor pending: there is an index of each of these two, and none of the
 * failed. All counts read indexes alone.
 */
const statement = {
  name: "dashboard-counts",
  text: `SELECT p.within AS "pendingWithin", p.later AS "pendingAfter",
      greatest(0, (SELECT count(*) FROM scheduled_messages s WHERE ${undelivered("s")}) - p.within - p.later) AS failed,
      (SELECT count(*) FROM job_intent WHERE state = 'pending') AS "intentsPending",
      (SELECT count(*) FROM job_intent WHERE state = 'dead') AS "deadLetters"
    FROM (SELECT count(*) FILTER (WHERE deliver_at <= horizon) AS within,
        count(*) FILTER (WHERE deliver_at > horizon) AS later
      FROM scheduled_messages s, (SELECT now() + make_interval(secs => ${alarmHorizonMs / 1_000}) AS horizon) h
      WHERE ${pending("s")}) p`,
};

export async function readCounts(sql: Sql): Promise<Counts> {
  const rows = await sql.rows<Counts>(statement);
  return rows[0]!;
}
