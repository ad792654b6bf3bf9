import type { Database } from "@carillon/db";

/** Statements held in the middle of their transactions. */
export interface HeldUp {
  /** Number of waiting statements. */
  waiting(): Promise<number>;
  /** Terminates the waiting connections. */
  cutOff(): Promise<void>;
  /** Lets all statements continue. */
  release(): Promise<void>;
}

const asleep = "datname = current_database() AND wait_event = 'PgSleep'";

/**
 * Holds every statement of one kind in the middle of its transaction, in the whole database.
 * @param statement such as `INSERT ON messages`
 */
export async function holdUp(db: Database, statement: string): Promise<HeldUp> {
  await db.rows("CREATE TABLE held_up (by int)");
  await db.rows("INSERT INTO held_up VALUES (1)");
  await db.rows(
    `CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN WHILE EXISTS (SELECT FROM held_up) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN NULL; END $$`,
  );
  await db.rows(
    `CREATE TRIGGER hold_up BEFORE ${statement} FOR EACH STATEMENT EXECUTE FUNCTION hold_up()`,
  );
  return {
    async waiting() {
      const [row] = await db.rows<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${asleep}`,
      );
      return row?.n ?? 0;
    },
    cutOff: async () =>
      void (await db.rows(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${asleep}`,
      )),
    async release() {
      await db.rows("DELETE FROM held_up");
      await db.rows(`DROP TRIGGER hold_up ON ${statement.split(" ").at(-1)}`);
      await db.rows("DROP FUNCTION hold_up");
      await db.rows("DROP TABLE held_up");
    },
  };
}
