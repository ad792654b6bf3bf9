import { type Sql, statement } from "@carillon/db";

/** Counters of the whole installation, such as `sweep_repairs`. They only rise. */

const add = statement({
  name: "add-to-counter",
  text: `INSERT INTO counters (name, value) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET value = counters.value + excluded.value`,
});

/** Adds to a counter, and creates it when it is new. Its row stays locked until the transaction ends. */
export async function addToCounter(sql: Sql, name: string, n = 1): Promise<void> {
  await sql.rows(add, [name, n]);
}

const all = statement({
  name: "counters",
  text: "SELECT name, value FROM counters ORDER BY name",
});

/** Reads all counters by name; a counter that nothing was added to is missing. */
export async function readCounters(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql.rows(all);
  return new Map(rows.map(({ name, value }) => [name, value]));
}
