import { readFileSync } from "node:fs";
import { historyDatabase } from "./lib/history/database.ts";
import { ask } from "./lib/http.ts";
import { registerQueues, startPolls } from "./lib/polls.ts";
import { serverTimes } from "./lib/processor-time.ts";
import { report, say, type Row } from "./lib/report.ts";
import { formRequest, sendRequest, type FormRequest } from "./lib/requests.ts";
import { processorMs, waitUntilIdle } from "./lib/settle.ts";
import { startGateway } from "./lib/system.ts";
import type { BenchChannel, Member } from "./lib/world.ts";
import { newest, readRequest } from "./reading/requests.ts";

// Measures what each action costs in an organization of 10,000 people: CPU time of the gateway and of PostgreSQL, and WAL.
// docs/scaling.md calculates from these costs what 100 such organizations need.
const people = 10_000;
const { database, history } = await historyDatabase({
  messages: 100_000,
  users: people,
  channels: 500,
});
const { db } = database;
const memberOf = new Map(history.members.map((member) => [member.id, member]));
const gateway = await startGateway(database);
const times = await serverTimes(database);
const rows: Row[] = [];

// Some thousand requests warm up V8's compiler.
await sendAll(
  Array.from({ length: 3_000 }, (_, n) => sendRequest({ channels: [channelOf(10)] }, n)),
);
for (const [wanted, count] of [
  [10, 1_200],
  [50, 600],
  [1_000, 60],
  [10_000, 18],
] as const) {
  const channel = channelOf(wanted);
  await measure(
    `a message to a channel of ${channel.members.length.toLocaleString("en")}, 8 at a time`,
    Array.from({ length: count }, (_, n) => sendRequest({ channels: [channel] }, n)),
  );
}

await measurePolls(2_000);

const readers = channelOf(1_000);
const unread = await db.rows<{ id: number; ids: number[] }>(
  `SELECT user_id AS id, json_agg(message_id ORDER BY message_id DESC) AS ids FROM user_messages
   WHERE user_id = ANY($1::int[]) AND flags & 1 = 0 GROUP BY user_id HAVING count(*) >= 50 LIMIT 200`,
  [readers.members.map(({ id }) => id)],
);
const flagsRequest = (userId: number, ids: readonly number[]) =>
  formRequest(memberOf.get(userId)!, "/api/v1/messages/flags", {
    messages: JSON.stringify(ids),
    op: "add",
    flag: "read",
  });
await measure(
  "marking 1 message as read",
  unread.map(({ id, ids }) => flagsRequest(id, ids.slice(0, 1))),
);
await measure(
  "marking 49 messages as read, in one request",
  unread.map(({ id, ids }) => flagsRequest(id, ids.slice(1, 50))),
);

await measure(
  "registering with all of the state, of 10,000 accounts",
  history.members.slice(100, 140).map((member) => formRequest(member, "/api/v1/register", {})),
);

const busy = history.busy.flatMap(({ id, subscribers }) =>
  subscribers.slice(1, 16).map((userId) => ({ id, member: memberOf.get(userId)! })),
);
await measure(
  "the 100 newest messages of a channel",
  busy.map(({ id, member }) => newest(member, id, 100)),
);
await measure(
  "100 old messages of a channel",
  busy.map(({ id, member }, n) => old(member, id, 20_000 + n * 200)),
);
await measure(
  "100 messages with a common word",
  busy.map(({ member }, n) => search(member, ["deployment", "meeting", "thanks"][n % 3]!)),
);
await measure(
  "the messages with a rare word",
  busy.map(({ member }, n) => search(member, `case${100 + n}`)),
);
rows.push({
  question: "memory of a PostgreSQL process of the gateway (PSS) after these requests",
  value: `${(await memoryOfBackends()).toFixed(0)} MB`,
  target: "none",
  holds: true,
});
await gateway.stop();
await report("large-organization", rows);
process.exit(0);

/** Returns the channel whose number of subscribers is nearest to the wanted one, by ratio. */
function channelOf(subscribers: number): BenchChannel {
  const distance = (found: { readonly subscribers: readonly number[] }) =>
    Math.abs(Math.log(found.subscribers.length / subscribers));
  const [nearest] = history.channels.toSorted((a, b) => distance(a) - distance(b));
  const members = nearest!.subscribers.map((id) => memberOf.get(id)!);
  return { id: nearest!.id, recipientId: nearest!.recipientId, members };
}

function old(member: Member, channelId: number, anchor: number): FormRequest {
  const narrow = JSON.stringify([{ operator: "channel", operand: channelId }]);
  return readRequest(member, { anchor: String(anchor), num_before: "100", num_after: "0", narrow });
}

function search(member: Member, words: string): FormRequest {
  const narrow = JSON.stringify([{ operator: "search", operand: words }]);
  return readRequest(member, { anchor: "newest", num_before: "100", num_after: "0", narrow });
}

interface Costs {
  readonly gateway: number;
  readonly postgres: number;
  /** Bytes of the write-ahead log. */
  readonly wal: number;
}

async function costs(): Promise<Costs> {
  const [at] = await db.rows<{ wal: number }>(
    "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS wal",
  );
  return { gateway: processorMs(gateway), postgres: times.postgres(), wal: at!.wal };
}

/** Sends the requests, eight at a time, and records the cost of one. The first sixth is a warm-up. */
async function measure(what: string, requests: readonly FormRequest[]): Promise<void> {
  const warm = Math.ceil(requests.length / 6);
  await sendAll(requests.slice(0, warm));
  await waitUntilIdle(gateway);
  const before = await costs();
  await sendAll(requests.slice(warm));
  await waitUntilIdle(gateway);
  note(what, before, await costs(), requests.length - warm);
}

async function sendAll(requests: readonly FormRequest[]): Promise<void> {
  for (let from = 0; from < requests.length; from += 8)
    await Promise.all(
      requests
        .slice(from, from + 8)
        .map(({ body, ...request }) =>
          ask(gateway.port, request.method === "GET" ? request : { ...request, body }),
        ),
    );
}

/** Measures the cost of a poll. Sends messages, which each answer all open polls, and opens the polls again. */
async function measurePolls(count: number): Promise<void> {
  const polls = await startPolls();
  const large = channelOf(people);
  const queues = await registerQueues(gateway.port, large.members.slice(0, count));
  const round = async (n: number) => {
    // The connections of the first round poll again.
    await polls.open(gateway.port, n === 0 ? queues : []);
    await ask(gateway.port, sendRequest({ channels: [large] }, n));
    await polls.answered();
  };
  await round(0);
  await waitUntilIdle(gateway);
  const before = await costs();
  for (let n = 1; n <= 3; n++) await round(n);
  await polls.hangUp();
  await waitUntilIdle(gateway);
  note(
    `a poll that waits and is answered with a message, of ${count.toLocaleString("en")} at a time`,
    before,
    await costs(),
    3 * count,
  );
  await polls.stop();
}

function note(what: string, before: Costs, after: Costs, count: number): void {
  const each = (of: keyof Costs, digits: number) =>
    ((after[of] - before[of]) / count).toFixed(digits);
  const value = `${each("gateway", 2)} ms of the gateway, ${each("postgres", 2)} ms of PostgreSQL, ${each("wal", 0)} bytes of WAL`;
  say(`${what}: ${value}`);
  rows.push({ question: what, value, target: "none", holds: true });
}

/** Returns the mean proportional set size of the gateway's PostgreSQL processes in megabytes. */
async function memoryOfBackends(): Promise<number> {
  const backends = await db.rows<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
       AND pid <> pg_backend_pid()`,
  );
  const sizes = backends.map(({ pid }) =>
    Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / sizes.length / 1_024;
}
