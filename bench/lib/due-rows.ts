import { scheduleRows } from "./scheduled-rows.ts";
import type { BenchDatabase } from "./servers.ts";
import type { World } from "./world.ts";

/** Rows that one statement inserts. */
const slice = 5_000;

/**
 * Inserts scheduled messages by all members of an organization, all due in one second. Marks the rows as having
 * delivery jobs, but adds no jobs.
 * @param due UNIX seconds
 * @returns the lowest and the highest id
 */
export async function writeDueRows(
  database: BenchDatabase,
  world: World,
  count: number,
  due: number,
): Promise<{ first: number; last: number }> {
  const ids: number[] = [];
  for (let from = 0; from < count; from += slice)
    ids.push(...(await scheduleRows(database, world, Math.min(slice, count - from), due, true)));
  return { first: ids[0] ?? 0, last: ids.at(-1) ?? 0 };
}

/** Counts an organization's messages that are still to be sent. */
export async function pendingOf({ db }: BenchDatabase, world: World): Promise<number> {
  const [row] = await db.rows<{ n: number }>(
    "SELECT count(*)::int AS n FROM scheduled_messages WHERE realm_id = $1 AND NOT delivered AND NOT failed",
    [world.realmId],
  );
  return row?.n ?? 0;
}
