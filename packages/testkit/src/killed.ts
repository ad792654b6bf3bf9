import { connectDatabase, type Database } from "@carillon/db";
import type pg from "pg";

/** A connection of our pools. */
type Cuttable = pg.PoolClient & { cutOff(): void };

/**
 * Simulates a process killed after so many statements: its connections break as with `kill -9`, new ones too.
 * @param work gets a database of its own
 * @returns whether the kill happened; false if the work had finished before
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
