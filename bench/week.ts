import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@carillon/db";
import { report, say, type Row } from "./lib/report.ts";
import {
  formRequest,
  registerRequest,
  scheduleRequest,
  sendRequest,
  type FormRequest,
} from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { startGateway, startWorker } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Runs a week of traffic. After the requests of each day, moves every time in the database a day back and restarts
// gateway and worker, which runs all recurring work. From the second to the last day, only tables with user content and
// tables with rows that are kept longer than a week may have grown.
const days = 7;
const sends = 300;
const schedules = 60;
const queues = 30;
const channels = 10;

/** Tables with user content, which is kept as long as users want. */
const userContent = new Map([
  ["messages", "what people wrote; retention removes it"],
  ["user_messages", "copies of messages; they go with them"],
  ["scheduled_messages", "what people scheduled, also what has been sent"],
]);

/** Tables whose rows are kept for longer than a week, with the largest number expected here. */
const bounds = new Map([
  ["bullmq.event", { rows: 4 * 10_256, why: "BullMQ keeps 10,000 of each queue" }],
  ["channel_traffic", { rows: channels * 30, why: "a row for each channel and day, for 28 days" }],
  [
    "delivery_history",
    {
      rows: 31 * 24 + 25 * 12,
      why: "one for each hour of 31 days and each five minutes of 25 hours",
    },
  ],
]);

const database = await createBenchDatabase("postgres");
const { db } = database;
const world = await createWorld(db, channels, 10);
const counts: Array<Map<string, number>> = [];
let line = 0;
for (let day = 1; day <= days; day++) {
  const worker = await startWorker(database);
  const gateway = await startGateway(database);
  const ask = async (request: FormRequest) => {
    const { path, ...given } = request;
    const answer = await fetch(`http://127.0.0.1:${gateway.port}${path}`, given);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
  };
  for (let n = 0; n < queues; n++) await ask(registerRequest(world.members[n]!));
  for (let n = 0; n < sends; n++) await ask(sendRequest(world, line++));
  for (let n = 0; n < schedules; n++)
    await ask(scheduleRequest(world, line++, Math.ceil(Date.now() / 1_000) + 2));
  for (let n = 0; n < queues; n++) {
    const member = world.members[n]!;
    await ask(formRequest(member, "/api/v1/mark_all_as_read", {}));
    await ask(formRequest(member, "/api/v1/users/me/presence", { status: "active" }));
  }
  while (await undelivered(db)) await pause(200);
  // Recurring work starts with the worker and ends within seconds.
  await pause(6_000);
  counts.push(await rowCounts(db));
  await gateway.stop();
  await worker.stop();
  await makeOlder(db);
  say(`day ${day}: ${[...counts.at(-1)!.values()].reduce((a, b) => a + b, 0)} rows`);
}
await database.drop();

const second = counts[1]!;
const last = counts.at(-1)!;
const grown = [...last].filter(([name, count]) => count > (second.get(name) ?? 0));
const rows: Row[] = grown.map(([name, count]) => {
  const bound = bounds.get(name);
  return {
    question: `rows of ${name} on the second and the last day`,
    value: `${second.get(name) ?? 0}, ${count}: ${userContent.get(name) ?? bound?.why ?? "nothing deletes its rows"}`,
    target: userContent.has(name)
      ? "none: user content"
      : `at most ${bound?.rows ?? second.get(name)}`,
    holds: userContent.has(name) || (bound !== undefined && count <= bound.rows),
  };
});
const bounded = [...last].filter(([name, count]) => count > 0 && count <= (second.get(name) ?? 0));
rows.push({
  question: `tables with rows that did not grow from the second to the seventh day, of ${last.size} tables`,
  value: bounded.map(([name, count]) => `${name} ${count}`).join(", "),
  target: "all but user content and rows that are kept for more than a week",
  holds: rows.every(({ holds }) => holds),
});
await report("week", rows);
process.exit(0);

async function undelivered(of: Database): Promise<boolean> {
  const left = await of.rows(
    "SELECT FROM scheduled_messages WHERE NOT delivered AND NOT failed LIMIT 1",
  );
  return left.length > 0;
}

async function tablesOf(of: Database): Promise<string[]> {
  const found = await of.rows<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname IN ('public', 'bullmq') ORDER BY 1`,
  );
  return found.map(({ name }) => name);
}

async function rowCounts(of: Database): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const table of await tablesOf(of)) {
    const [row] = await of.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`);
    found.set(table.replace("public.", ""), row!.n);
  }
  return found;
}

/** Moves every time and date a day back, in two steps, so that no date collides with the previous one. */
async function makeOlder(of: Database): Promise<void> {
  const columns = await of.rows<{ table: string; column: string }>(
    `SELECT format('%I', c.table_name) AS "table", format('%I', c.column_name) AS "column"
     FROM information_schema.columns c JOIN pg_tables t ON t.schemaname = 'public' AND t.tablename = c.table_name
     WHERE c.table_schema = 'public' AND c.data_type IN ('timestamp with time zone', 'timestamp without time zone', 'date')
       AND c.is_generated = 'NEVER' AND c.table_name <> '_prisma_migrations'`,
  );
  for (const { table, column } of columns)
    for (const step of [-36_500, 36_499])
      await of.rows(`UPDATE ${table} SET ${column} = ${column} + make_interval(days => ${step})`);
}
