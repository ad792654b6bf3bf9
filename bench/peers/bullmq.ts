import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import pg from "pg";
import { serve } from "./serve.ts";

// Bare BullMQ on Redis: one bare INSERT for each job.
const concurrency = Number(process.env["CONCURRENCY"]);
const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"]!, max: concurrency });
const connection = new Redis(process.env["REDIS_URL"]!, { maxRetriesPerRequest: null });
await pool.query(
  "CREATE TABLE IF NOT EXISTS bench_rows (id bigserial PRIMARY KEY, job bigint NOT NULL, content text NOT NULL)",
);
const name = `peer-${concurrency}`;
const queue = new Queue(name, { connection, prefix: "peer" });
const worker = new Worker<{ n: number; content: string }>(
  name,
  async ({ data }) => {
    await pool.query({
      name: "insert",
      text: "INSERT INTO bench_rows (job, content) VALUES ($1, $2)",
      values: [data.n, data.content],
    });
  },
  { connection, prefix: "peer", concurrency, removeOnComplete: { count: 0 } },
);
await worker.waitUntilReady();

serve(pool, async (jobs, due) => {
  const delay = due * 1_000 - Date.now();
  await queue.addBulk(
    jobs.map((data) => ({ name: "insert", data, opts: { delay, removeOnComplete: true } })),
  );
});
