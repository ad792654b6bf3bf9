import { setTimeout as pause } from "node:timers/promises";
import { clientIdOf } from "@carillon/model";
import { silentLogger } from "@carillon/kit";
import { connectQueues } from "@carillon/queue";
import { createDeliveryJobPublisher } from "@carillon/scheduling";
import { halve } from "./lib/half-speed.ts";
import { pendingOf, writeDueRows } from "./lib/due-rows.ts";
import { longestIteration, measuringIterations } from "./lib/longest-iteration.ts";
import { watchIdleTransactions } from "./lib/idle-transactions.ts";
import { keepScheduling, latenessBetween } from "./lib/quiet-organization.ts";
import { report, say, type Row } from "./lib/report.ts";
import {
  backends,
  createBenchDatabase,
  type BackendName,
  type BenchDatabase,
} from "./lib/servers.ts";
import { startWorker } from "./lib/system.ts";
import { createWorld, type World } from "./lib/world.ts";
import { worstTexts } from "./worst-request/texts.ts";

// Measures how long the worker takes to send messages with long texts, all due in one second, how much they delay
// another organization, and how long they hold the worker's event loop and its idle transactions.
const maxLength = 10_000;
const messages = 1_000;
const reminders = 600;
const mixed = 240;
/** Time between two messages of the other organization, in milliseconds. */
const everyMs = 200;

const list = (n: number) => `${"- a\n".repeat(2_495)}${n}`;
const paragraph =
  "The **plan** for the [release](https://example.com/plan) is in `docs/plan.md`; see point 3.\n\n* one point\n* another, _as agreed_\n\n> a quote\n\n";
const ordinary = (n: number) => `${paragraph.repeat(200).slice(0, maxLength - 10)}\n${n}`;

interface Case {
  readonly what: string;
  readonly count: number;
  /** Seconds within which all messages must be sent; undefined without a target. */
  readonly within?: number;
  /** Whether the worker has half of a processor. */
  readonly halved?: boolean;
  readonly write: (database: BenchDatabase, world: World, due: number) => Promise<number>;
}

const cases: readonly Case[] = [
  {
    what: "messages of 10,000 characters of `- a` lines",
    count: messages,
    within: 20,
    write: (database, world, due) => writeTexts(database, world, due, list),
  },
  {
    what: "messages of 10,000 characters of ordinary Markdown",
    count: messages,
    within: 20,
    write: (database, world, due) => writeTexts(database, world, due, ordinary),
  },
  {
    what: "reminders of a message of 10,000 characters of `- a` lines",
    count: reminders,
    write: writeReminders,
  },
  {
    what: `messages of 10,000 characters, of ${Object.keys(worstTexts).length} kinds of text and reminders in turn, with half of a processor,`,
    count: mixed,
    halved: true,
    write: async (database, world, due) => {
      const kinds = Object.values(worstTexts);
      const text = (n: number) => `${kinds[n % kinds.length]!(maxLength - 10)}\n${n}`;
      const first = await writeTexts(database, world, due, text, mixed / 2);
      await writeReminders(database, world, due, mixed / 2);
      return first;
    },
  },
];

/** The longest that the worker may hold its event loop in milliseconds, and an idle transaction in seconds. */
const maxIterationMs = 50;
const maxIdleSeconds = 1;

const rows: Row[] = [];
for (const backend of backends)
  for (const each of cases) rows.push(...(await measure(backend, each)));
await report("heavy-batch", rows);
process.exit(0);

async function measure(backend: BackendName, each: Case): Promise<Row[]> {
  const { what, count, within, halved = false, write } = each;
  const database = await createBenchDatabase(backend);
  const loud = await createWorld(database.db, 20, 10);
  const quiet = await createWorld(database.db, 5, 10);
  const queues = await connectQueues({
    databaseUrl: database.url,
    redisUrl: database.redisUrl,
    log: silentLogger,
  });
  const deliveryJobs = createDeliveryJobPublisher({ queues, db: database.db, log: silentLogger });
  const worker = await startWorker(database, measuringIterations);
  const due = Math.ceil(Date.now() / 1_000) + 15;
  const first = await write(database, loud, due);
  deliveryJobs.add({
    realmId: loud.realmId,
    scheduledMessageId: first,
    version: 1,
    deliverAt: due,
  });
  await deliveryJobs.idle();
  if (Date.now() > (due - 2) * 1_000) throw new Error("scheduling took too long");
  let over = false;
  const writing = keepScheduling(database, quiet, deliveryJobs, {
    everyMs,
    notice: [1],
    over: () => over,
  });
  const idle = await watchIdleTransactions(database);
  await pause((due - 1) * 1_000 - Date.now());
  await longestIteration(worker);
  const release = halved ? halve(worker.process) : () => {};
  await pause(due * 1_000 - Date.now());
  while ((await pendingOf(database, loud)) > 0) await pause(100);
  release();
  const iterationMs = await longestIteration(worker);
  const idleSeconds = await idle.stop();
  over = true;
  await writing;
  while ((await pendingOf(database, quiet)) > 0) await pause(100);
  const { sent, seconds } = await sentOf(database, loud, due);
  const worst = Math.max(0, ...(await latenessBetween(database, quiet, due, due + seconds)));
  await worker.stop();
  await deliveryJobs.idle();
  await queues.close();
  await database.drop();
  say(
    `${backend}, ${what}: ${sent} of ${count} after ${seconds.toFixed(1)} s, others ${worst.toFixed(2)} s late, ` +
      `event loop ${iterationMs.toFixed(0)} ms, idle transaction ${idleSeconds.toFixed(2)} s`,
  );
  const inTime = within === undefined || seconds <= within;
  const dueTogether = `${count} ${what} due in the same second, ${backend} queues`;
  return [
    {
      question: `${dueTogether}: from then until the last is sent, and the worst lateness of another organization's message meanwhile`,
      value: `${seconds.toFixed(1)} s, ${worst.toFixed(2)} s (${sent} sent)`,
      target: `${within === undefined ? "" : `within ${within} s, `}others at most 2 s late`,
      holds: sent === count && inTime && worst <= 2,
    },
    {
      question: `${dueTogether}: the longest iteration of the worker's event loop in processor time, and the longest time that a transaction was idle`,
      value: `${iterationMs.toFixed(0)} ms, ${idleSeconds.toFixed(2)} s`,
      target: `at most ${maxIterationMs} ms and ${maxIdleSeconds} s`,
      holds: iterationMs <= maxIterationMs && idleSeconds <= maxIdleSeconds,
    },
  ];
}

/** Inserts scheduled messages with these texts, marked as having delivery jobs. @returns the lowest id */
async function writeTexts(
  database: BenchDatabase,
  world: World,
  due: number,
  text: (n: number) => string,
  count = messages,
): Promise<number> {
  const { first, last } = await writeDueRows(database, world, count, due);
  const numbers = Array.from({ length: count }, (_, n) => n);
  await database.db.rows(
    `UPDATE scheduled_messages s SET content = t.content
     FROM unnest($1::bigint[], $2::text[]) AS t (id, content) WHERE s.id = t.id AND s.id <= $3`,
    [numbers.map((n) => first + n), numbers.map(text), last],
  );
  return first;
}

/** Inserts reminders of one message by all members of a channel, in rotation. @returns the lowest id */
async function writeReminders(
  { db }: BenchDatabase,
  world: World,
  due: number,
  count = reminders,
): Promise<number> {
  const channel = world.channels[0]!;
  const clientId = await clientIdOf(db, "website");
  const [target] = await db.rows<{ id: number }>(
    `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
       render_version, client_id) VALUES ($1, $2, $3, true, 'lists', $4, '<p>a list</p>', 1, $5) RETURNING id`,
    [world.realmId, channel.members[0]!.id, channel.recipientId, list(0), clientId],
  );
  const written = await db.rows<{ id: number }>(
    `INSERT INTO scheduled_messages (realm_id, sender_id, kind, recipient_id, content, rendered_content, client_id,
       deliver_at, alarmed_at, read_by_sender, reminder_target_message_id)
     SELECT $1, ($2::int[])[1 + n % cardinality($2::int[])], 2, $3, $4, '<p>a list</p>', $5, to_timestamp($6), now(),
       false, $7 FROM generate_series(0, $8 - 1) AS n RETURNING id`,
    [
      world.realmId,
      channel.members.map(({ id }) => id),
      channel.recipientId,
      list(0),
      clientId,
      due,
      target!.id,
      count,
    ],
  );
  return written[0]!.id;
}

/** Returns the number of sent messages, and the seconds from the due time to the last commit. */
async function sentOf(
  { db }: BenchDatabase,
  { realmId }: World,
  due: number,
): Promise<{ sent: number; seconds: number }> {
  const [found] = await db.rows<{ sent: number; seconds: number }>(
    `SELECT count(*)::int AS sent,
       coalesce(extract(epoch FROM max(pg_xact_commit_timestamp(m.xmin))) - $2, 0)::float8 AS seconds
     FROM scheduled_messages s JOIN messages m ON m.scheduled_message_id = s.id WHERE s.realm_id = $1`,
    [realmId, due],
  );
  return found!;
}
