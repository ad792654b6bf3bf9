import { Logger, run, type WorkerUtils, makeWorkerUtils } from "graphile-worker";
import pg from "pg";
import { serve } from "./serve.ts";

// graphile-worker, configured for the highest rate as its performance page does: one bare INSERT for each job.
const connectionString = process.env["DATABASE_URL"]!;
const logger = new Logger(() => () => undefined);
const preset = {
  worker: {
    connectionString,
    concurrentJobs: 24,
    maxPoolSize: 25,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
    // graphile-worker finds future jobs only by polling. Its default interval of 2 s would make the comparison unfair.
    pollInterval: 20,
    logger,
  },
};
const pool = new pg.Pool({ connectionString, max: 2 });
await pool.query(
  "CREATE TABLE IF NOT EXISTS bench_rows (id bigserial PRIMARY KEY, job bigint NOT NULL, content text NOT NULL)",
);
const utils: WorkerUtils = await makeWorkerUtils({ preset });
await utils.migrate();
await run({
  preset,
  taskList: {
    async insert(payload, helpers) {
      const { n, content } = payload as { n: number; content: string };
      await helpers.withPgClient((client) =>
        client.query({
          name: "insert",
          text: "INSERT INTO bench_rows (job, content) VALUES ($1, $2)",
          values: [n, content],
        }),
      );
    },
  },
});

serve(pool, async (jobs, due) => {
  await utils.addJobs(
    jobs.map((payload) => ({ identifier: "insert", payload, runAt: new Date(due * 1_000) })),
  );
});
