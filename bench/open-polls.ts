import { startChild, type Child } from "./lib/child.ts";
import { addCrowd } from "./lib/crowd.ts";
import { ask } from "./lib/http.ts";
import { startLoad } from "./lib/load.ts";
import { registerQueues, startPolls } from "./lib/polls.ts";
import { report, say, type Row } from "./lib/report.ts";
import { sendRequest } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { processorMs, settledMemory, settling, waitUntilIdle } from "./lib/settle.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";
import type { PollRequest, PollsAnswer } from "./peers/polls.ts";

// Measures what 10,000 open polls cost one gateway: answering them, keeping them open, and sending beside them.
const crowd = 10_000;
const rounds = 3;
const seconds = 4;
const limitKb = 24;
const limitS = 1.5;

/** A server that holds polls, and its measurements by round. */
interface Holder {
  readonly name: string;
  readonly child: Child;
  readonly port: number;
  readonly polls: readonly PollRequest[];
  /** Bytes of memory before the first poll. */
  readonly empty: number;
  /** Bytes of memory for each poll. */
  readonly each: number[];
  /** Seconds from the request to the last answer. */
  readonly last: number[];
  /** Seconds of the server's CPU time from the request to the last answer. */
  readonly busy: number[];
}

const database = await createBenchDatabase("postgres");
const world = await createWorld(database.db, 51, 10);
const [large, ...small] = world.channels;
const members = await addCrowd(database.db, world, large!, crowd);
const polls = await startPolls();
const load = await startLoad({ ...world, channels: small }, "send");
const gateway = await startGateway(database, settling);
const bare = await startBare();
const beside: number[] = [];
const alone: number[] = [];
// Both servers warm up with other requests; the gateway also with registrations.
await load.run(bare.port, seconds);
await load.run(gateway.port, seconds);
const queues = await registerQueues(gateway.port, members);
const ours = await createHolder("the gateway", gateway, queues);
const theirs = await createHolder("the bare server", bare, queues);
// Memory is measured first, because the events of later messages stay in the gateway's memory for a while.
for (let round = 1; round <= rounds; round++) await answerAll(round);
for (let round = 1; round <= rounds; round++) await sendBeside(round);
await report("open-polls", rows());
process.exit(0);

async function answerAll(round: number): Promise<void> {
  const answer = await answerPolls(ours, async () => {
    const sent = await ask<{ id: number }>(
      gateway.port,
      sendRequest({ channels: [large!] }, round),
    );
    return sent.id;
  });
  await answerPolls(theirs, async () => {
    await ask(bare.port, { path: "/", method: "POST", body: answer.body });
    return answer.messageIds[0]!;
  });
}

async function sendBeside(round: number): Promise<void> {
  // Measures the rate without polls before and after, because tables grow and the load of the machine changes.
  const before = await send();
  await polls.open(gateway.port, queues);
  beside.push(await send());
  await polls.hangUp();
  const after = await send();
  alone.push((before + after) / 2);
  say(
    `round ${round}: ${beside.at(-1)!.toFixed(0)} messages/s beside ${crowd} polls, ${before.toFixed(0)}/s before and ${after.toFixed(0)}/s after`,
  );
}

/** Opens the polls, measures the memory, and answers all polls. @param post sends the message and returns its id */
async function answerPolls(holder: Holder, post: () => Promise<number>): Promise<PollsAnswer> {
  const { child, port, name, empty, each, last, busy } = holder;
  await polls.open(port, holder.polls);
  each.push(((await settledMemory(child)) - empty) / crowd);
  const used = processorMs(child);
  const startedAt = Date.now();
  const id = await post();
  const posted = Date.now() - startedAt;
  const answer = await polls.answers(id);
  last.push((answer.last - startedAt) / 1_000);
  busy.push((processorMs(child) - used) / 1_000);
  await polls.hangUp();
  say(
    `${name}: ${kilobytes(each.at(-1)!)} a poll, message sent after ${posted} ms, first answer after ${answer.first - startedAt} ms, last after ${answer.last - startedAt} ms, ${busy.at(-1)!.toFixed(2)} s of processor time`,
  );
  return answer;
}

/** Sends to the small channels, after a warm-up second. @returns messages per second */
async function send(): Promise<number> {
  await waitUntilIdle(gateway);
  await load.run(gateway.port, 1);
  return (await load.run(gateway.port, seconds)).rate;
}

function rows(): Row[] {
  const worst = Math.max(...ours.last);
  const most = Math.max(...ours.each);
  const ratio = medianRatio(beside, alone);
  return [
    {
      question: `a message to a channel, ${crowd} open polls of its subscribers on one gateway: from the request until the last poll is answered`,
      value: `${worst.toFixed(2)} s, the worst of ${rounds} rounds (median ${median(ours.last).toFixed(2)} s, processor time of the gateway ${median(ours.busy).toFixed(2)} s; a bare node:http server answers as many held requests in ${median(theirs.last).toFixed(2)} s)`,
      target: `within ${limitS} s`,
      holds: worst <= limitS,
    },
    {
      question: `memory of the gateway (RSS) for each of ${crowd} idle polls with their connections, against before the first one, garbage collected`,
      value: `${kilobytes(most)}, the most of ${rounds} rounds (${kilobytes(Math.max(...theirs.each))} of a bare node:http server)`,
      target: `at most ${limitKb} KB`,
      holds: most <= limitKb * 1_024,
    },
    {
      question: `POST /messages to channels of 10 subscribers, 8 in flight, beside ${crowd} open polls of others, against none`,
      value: `${ratio.toFixed(2)} × (${spread(beside)} requests/s against ${spread(alone)})`,
      target: "at least 0.7 ×",
      holds: ratio >= 0.7,
    },
  ];
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_024).toFixed(1)} KB`;
}

/** Measures a server's memory before the first poll. */
async function createHolder(
  name: string,
  { port, ...child }: Child & { readonly port: number },
  requests: readonly PollRequest[],
): Promise<Holder> {
  const empty = await settledMemory(child);
  return { name, child, port, polls: requests, empty, each: [], last: [], busy: [] };
}

/** Starts a server that only holds requests and answers them. */
async function startBare(): Promise<Child & { readonly port: number }> {
  const child = startChild(
    "peer-held",
    "bench/peers/held.ts",
    { NODE_ENV: "production" },
    settling,
  );
  await child.written("peer started on");
  const port = Number(/peer started on (\d+)/.exec(child.output())?.[1]);
  return { ...child, port };
}
