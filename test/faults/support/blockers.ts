import type { Database } from "@carillon/db";
import { waitFor } from "@carillon/testkit";
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
  /** Opens the gate, and waits until the server has ended the transactions that were waiting. */
  finish(): Promise<void>;
  /**
   * Terminates waiting statements, as the server does when it notices that their client is gone, and opens the gate.
   */
  drop(): Promise<void>;
}

/** An advisory lock with two keys. */
export interface HeldLock {
  readonly lockClass: number;
  readonly key: number;
}

const waiting = `locktype = 'advisory' AND classid = 0 AND objid = $1 AND objsubid = 1 AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Which changes a gate blocks; all unless given. */
export interface GatedChanges {
  readonly holder?: HeldLock | undefined;
  readonly row?: string | undefined;
}

let gates = 0;
const gateClass = 9_000_000;

/**
 * Blocks every statement of one kind in the middle of its transaction.
 * @param statement such as `INSERT ON messages` or `UPDATE OF alarmed_at ON scheduled_messages`: waits before it.
 *   `AFTER INSERT ON messages` waits after it, `COMMIT OF INSERT ON messages` in the COMMIT of its transaction.
 * @param only `holder`: blocks only transactions that hold this lock; `row`: only changes of rows for which this SQL
 *   condition on `OLD` and `NEW` holds
 */
export async function gate(
  db: Database,
  statement: string,
  { holder, row }: GatedChanges = {},
): Promise<Gate> {
  const key = gateClass + ++gates;
  const name = `gate_${key}`;
  const client = new pg.Client({ connectionString: db.url });
  // If the server is killed, the gate is gone.
  client.on("error", () => undefined);
  await client.connect();
  await client.query("SELECT pg_advisory_lock($1)", [key]);
  await client.query(
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF ${holder ? isHeld(holder) : "true"} THEN PERFORM pg_advisory_xact_lock_shared(${key}); END IF;
       IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
       RETURN NEW;
     END $$`,
  );
  await client.query(triggerOf(name, statement, row));
  const waitingPids = async () => {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE ${waiting}`,
      [key],
    );
    return rows.map(({ pid }) => pid);
  };
  return {
    waiting: async () => (await waitingPids()).length,
    open: () => client.end(),
    async finish() {
      const pids = await waitingPids();
      await client.end();
      // Without the connection that asks: the pool may lend one that has been waiting, and it would look busy each time.
      const unfinished = () =>
        db.rows(
          `SELECT FROM pg_stat_activity
           WHERE pid = ANY($1::int[]) AND state <> 'idle' AND pid <> pg_backend_pid()`,
          [pids],
        );
      await waitFor(async () => (await unfinished()).length === 0, {
        what: `the transactions with ${statement} have ended`,
      });
    },
    async drop() {
      await client.query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE ${waiting}`, [
        key,
      ]);
      await client.end();
    },
  };
}

function triggerOf(name: string, statement: string, row: string | undefined): string {
  const [, time = "BEFORE", what = statement] =
    /^(BEFORE|AFTER|COMMIT OF) (.*)$/.exec(statement) ?? [];
  const condition = row === undefined ? "" : `WHEN (${row})`;
  if (time === "COMMIT OF")
    return `CREATE CONSTRAINT TRIGGER ${name} AFTER ${what} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW ${condition} EXECUTE FUNCTION ${name}()`;
  const level = row === undefined ? "STATEMENT" : "ROW";
  return `CREATE TRIGGER ${name} ${time} ${what} FOR EACH ${level} ${condition} EXECUTE FUNCTION ${name}()`;
}

function isHeld({ lockClass, key }: HeldLock): string {
  return `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${lockClass} AND objid = ${key}
    AND objsubid = 2 AND granted AND pid = pg_backend_pid())`;
}
