import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

import type { Sql } from "./sql.ts";

/** A process that tells the dashboard of itself. */
export interface HeartbeatOptions {
  /** `gateway`, `worker`, `dashboard` … */
  readonly role: string;
  /** Read at every beat; numbers and short names only: they are shown and stay in plain text. */
  readonly counters?: () => object;
  /** Milliseconds, 5,000 unless given. */
  readonly everyMs?: number;
  /** Told of a beat that failed; the next one comes all the same. */
  readonly onError?: (error: unknown) => void;
}

export interface Heartbeat {
  readonly processId: string;
  /** Beats now, or waits for the beat under way. */
  beat(): Promise<void>;
  /** Ends the beating and removes the row. Call it before the pool closes. */
  stop(): Promise<void>;
}

/** Rows that were not seen for so long are removed, in seconds: their processes died without a word. */
const forgottenAfter = 3_600;

const write = {
  name: "heartbeat",
  text: `WITH forgotten AS (
      DELETE FROM process_heartbeats WHERE last_seen < now() - interval '${forgottenAfter} seconds'
        AND process_id <> $1)
    INSERT INTO process_heartbeats (process_id, role, host, pid, started_at, counters)
    VALUES ($1, $2, $3, $4, now() - make_interval(secs => $5), $6)
    ON CONFLICT (process_id) DO UPDATE SET last_seen = now(), counters = excluded.counters`,
};

/**
 * Writes this process's row in `process_heartbeats` at once and then again and again. A beat that fails is
 * reported and changes nothing else: a process is not stopped because nobody can see it.
 */
export function startHeartbeat(db: Sql, options: HeartbeatOptions): Heartbeat {
  const { role, counters = () => ({}), everyMs = 5_000, onError = () => undefined } = options;
  const processId = randomUUID();
  let running: Promise<void> | undefined;
  let stopped = false;

  async function once(): Promise<void> {
    try {
      const values = [processId, role, hostname(), process.pid, process.uptime()];
      await db.rows(write, [...values, JSON.stringify(counters())]);
    } catch (error) {
      onError(error);
    }
  }
  const beat = () => (running ??= once().finally(() => (running = undefined)));
  const timer = setInterval(() => void beat(), everyMs);
  timer.unref();
  void beat();

  return {
    processId,
    beat: () => (stopped ? Promise.resolve() : beat()),
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
      await db.rows("DELETE FROM process_heartbeats WHERE process_id = $1", [processId]);
    },
  };
}
