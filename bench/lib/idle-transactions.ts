import pg from "pg";
import type { BenchDatabase } from "./servers.ts";

/** Milliseconds between two samples. */
const everyMs = 20;

/** Measures how long transactions in a database wait for their client's next statement. */
export interface IdleWatch {
  /** Ends the measurement. @returns the longest time in seconds, at most {@link everyMs} too low */
  stop(): Promise<number>;
}

/** Samples the database's connections until the watch is stopped. */
export async function watchIdleTransactions({ url }: BenchDatabase): Promise<IdleWatch> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let longest = 0;
  let asking: Promise<void> | undefined;
  const ask = async () => {
    const { rows } = await client.query<{ seconds: number }>(
      `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - state_change)), 0)::float8 AS seconds
       FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    );
    longest = Math.max(longest, rows[0]?.seconds ?? 0);
  };
  const timer = setInterval(() => {
    asking ??= ask().finally(() => (asking = undefined));
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await asking;
      await client.end();
      return longest;
    },
  };
}
