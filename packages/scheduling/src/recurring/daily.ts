import { statement, type Sql } from "@carillon/db";
import type { RecurringDefinition } from "@carillon/jobs";

const unfinished = statement({
  name: "daily-work-day",
  text: `SELECT to_char(today, 'YYYY-MM-DD') AS day FROM (SELECT (now() AT TIME ZONE 'UTC')::date AS today) clock
    WHERE NOT EXISTS (SELECT FROM daily_work WHERE realm_id = $1 AND name = $2 AND day >= today)`,
});

/**
 * Returns the day, by UTC, for which an organization's daily work is still to be done, as `YYYY-MM-DD`; undefined once it
 * is done. Daily work recurs more often than daily and asks this, so that a missed or aborted run is repeated soon.
 */
export async function dayToDo(
  sql: Sql,
  { name }: RecurringDefinition,
  realmId: number,
): Promise<string | undefined> {
  return (await sql.rows(unfinished, [realmId, name]))[0]?.day;
}

const note = statement({
  name: "daily-work-done",
  text: `INSERT INTO daily_work (realm_id, name, day) VALUES ($1, $2, $3::date)
    ON CONFLICT (realm_id, name) DO UPDATE SET day = excluded.day`,
});

/** Records that the organization's work is done for the day from {@link dayToDo}. */
export async function noteDay(
  sql: Sql,
  { name }: RecurringDefinition,
  realmId: number,
  day: string,
): Promise<void> {
  await sql.rows(note, [realmId, name, day]);
}
