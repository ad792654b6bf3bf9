import { connectDatabase, type Database } from "@carillon/db";
import type pg from "pg";

/** A connection of our pools. */
type Cuttable = pg.PoolClient & { cutOff(): void };

/**
 * Simulates a process that is killed after the given number of statements: its connections break, new ones too.
 * @param work receives a database with its own connections
 * @returns whether the kill happened; false if the work finished first
 */
export async function killedAfter(
  { url }: Pick<Database, "url">,
  statements: number,
  work: (db: Database) => Promise<unknown>,
): Promise<boolean> {
  const db = await connectDatabase(url, { max: 2, name: "killed", statementTimeoutMs: 0 });
  const watched = new WeakSet<object>();
  let sent = 0;
  db.pool.on("acquire", (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    const { query } = client as unknown as { query: (...given: unknown[]) => unknown };
    Object.assign(client, {
      query(...given: unknown[]) {
        if (++sent > statements) (client as Cuttable).cutOff();
        return query.apply(client, given);
      },
    });
  });
  try {
    await work(db);
  } catch (error) {
    if (sent <= statements) throw error;
  } finally {
    await db.close();
  }
  return sent > statements;
}
