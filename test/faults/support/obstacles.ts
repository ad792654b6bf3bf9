import type { Database } from "@carillon/db";
import pg from "pg";

/**
 * Makes every message take longer to send, so that faults hit unfinished deliveries.
 * @returns a function that removes the delay
 */
export async function slowMessages(
  db: Database,
  millisecondsEach: number,
): Promise<() => Promise<void>> {
  await db.rows(
    `CREATE FUNCTION slow_message() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN PERFORM pg_sleep(${millisecondsEach / 1_000}); RETURN NEW; END $$`,
  );
  await db.rows(
    "CREATE TRIGGER slow_message BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION slow_message()",
  );
  return async () => void (await db.rows("DROP TRIGGER slow_message ON messages"));
}

/** Blocks statements until it is opened. */
export interface Gate {
  /** Returns how many statements are waiting. */
  waiting(): Promise<number>;
  /** Lets all statements pass, for good. */
  open(): Promise<void>;
  /**
   * Terminates waiting statements, as the server does when it notices that their client is gone, and opens the gate.
   */
  drop(): Promise<void>;
}

const waiting = `locktype = 'advisory' AND classid = 0 AND objid = $1 AND objsubid = 1 AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

let gates = 0;
const gateClass = 9_000_000;

/**
 * Blocks every statement of one kind in the middle of its transaction.
 * @param statement such as `INSERT ON messages` or `UPDATE OF alarmed_at ON scheduled_messages`
 */
export async function gate(db: Database, statement: string): Promise<Gate> {
  const key = gateClass + ++gates;
  const name = `gate_${key}`;
  const holder = new pg.Client({ connectionString: db.url });
  // If the server is killed, the gate is gone.
  holder.on("error", () => undefined);
  await holder.connect();
  await holder.query("SELECT pg_advisory_lock($1)", [key]);
  await holder.query(
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN PERFORM pg_advisory_xact_lock_shared(${key}); RETURN NULL; END $$`,
  );
  await holder.query(
    `CREATE TRIGGER ${name} BEFORE ${statement} FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
  );
  return {
    async waiting() {
      const { rows } = await holder.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_locks WHERE ${waiting}`,
        [key],
      );
      return rows[0]?.n ?? 0;
    },
    open: () => holder.end(),
    async drop() {
      await holder.query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE ${waiting}`, [
        key,
      ]);
      await holder.end();
    },
  };
}
