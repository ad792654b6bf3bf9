import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";

export interface PeerJob {
  readonly n: number;
  readonly content: string;
}

/** Asks a peer to run this many jobs, all due in the same second. */
export interface PeerRequest {
  readonly count: number;
  readonly content: string;
}

/** Seconds from the due second to the last commit and to the first. */
export interface PeerAnswer {
  readonly seconds: number;
  readonly first: number;
}

/** Seconds from adding the jobs to their due time. */
const ahead = 4;

/** Runs the bench's requests and answers each. @param add adds jobs that are due at the given time, in UNIX seconds */
export function serve(pool: pg.Pool, add: (jobs: PeerJob[], due: number) => Promise<void>): void {
  process.on("message", (request: PeerRequest) => {
    void (async () => process.send?.(await burst(pool, add, request)))();
  });
  process.on("disconnect", () => process.exit(0));
  process.on("SIGTERM", () => process.exit(0));
  console.log("peer started");
}

async function burst(
  pool: pg.Pool,
  add: (jobs: PeerJob[], due: number) => Promise<void>,
  { count, content }: PeerRequest,
): Promise<PeerAnswer> {
  await pool.query("CHECKPOINT");
  const before = await highest(pool);
  const due = Math.floor(Date.now() / 1_000) + ahead;
  const jobs = Array.from({ length: count }, (_, n) => ({ n, content: `${content} (${n})` }));
  await add(jobs, due);
  if (Date.now() > due * 1_000) throw new Error("the jobs were due before all were added");
  await pause(due * 1_000 - Date.now());
  // Ids come from a sequence and no row is rolled back, so the highest id grows by the number of inserted rows.
  while ((await highest(pool)) - before < count) await pause(50);
  for (;;) {
    const { rows } = await pool.query<{ rows: number; first: number; last: number }>(
      `SELECT count(*)::int AS rows,
         min(extract(epoch FROM pg_xact_commit_timestamp(xmin)))::float8 AS first,
         max(extract(epoch FROM pg_xact_commit_timestamp(xmin)))::float8 AS last
       FROM bench_rows WHERE id > $1`,
      [before],
    );
    if (rows[0]!.rows === count)
      return { seconds: rows[0]!.last - due, first: rows[0]!.first - due };
    await pause(50);
  }
}

async function highest(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(
    "SELECT id FROM bench_rows ORDER BY id DESC LIMIT 1",
  );
  return Number(rows[0]?.id ?? 0);
}
