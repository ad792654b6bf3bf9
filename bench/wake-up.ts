import { setTimeout as pause } from "node:timers/promises";
import { ask } from "./lib/http.ts";
import { registerQueues } from "./lib/polls.ts";
import { report, say, type Row } from "./lib/report.ts";
import { sendRequest } from "./lib/requests.ts";
import { backends, createBenchDatabase, type BackendName } from "./lib/servers.ts";
import { median, quantile } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { createWorld, type BenchChannel } from "./lib/world.ts";

// Measures the time from a request at one gateway to the answer of a poll at another.
const sends = 100;
const warmUps = 10;
const limitMs = 100;

/** A member's queue at one gateway, and the channel with its other members, who send to it. */
interface Listener {
  readonly port: number;
  readonly path: string;
  readonly authorization: string;
  readonly channel: BenchChannel;
  lastEventId: number;
}

const rows: Row[] = [];
for (const backend of backends) rows.push(await measure(backend));
await report("wake-up", rows);
process.exit(0);

async function measure(backend: BackendName): Promise<Row> {
  const database = await createBenchDatabase(backend);
  const world = await createWorld(database.db, 2, 10);
  const near = await startGateway(database);
  const far = await startGateway(database);
  const across: number[] = [];
  const within: number[] = [];
  const there = await createListener(world.channels[0]!, far.port);
  const here = await createListener(world.channels[1]!, near.port);
  for (let n = 0; n < warmUps + sends; n++) {
    const measured = n >= warmUps;
    // One at a time, so that both gateways are otherwise idle.
    for (const [times, who] of [
      [across, there],
      [within, here],
    ] as const) {
      const took = await send(n, near.port, who);
      if (measured) times.push(took);
    }
  }
  await near.stop();
  await far.stop();
  await database.drop();
  const name = backend === "redis" ? "Redis" : "pg_notify";
  const [p95, p50, worst] = [quantile(across, 0.95), median(across), Math.max(...across)];
  const value = `${p95.toFixed(0)} ms (median ${p50.toFixed(0)} ms, worst ${worst.toFixed(0)} ms; with the poll on the same gateway p95 ${quantile(within, 0.95).toFixed(0)} ms, median ${median(within).toFixed(0)} ms)`;
  say(`${name}: ${value}`);
  return {
    question: `a message sent through one gateway to a poll on another, wake-ups over ${name}: from the request to the poll's answer, p95 of ${sends}`,
    value,
    target: `within ${limitMs} ms`,
    holds: p95 <= limitMs,
  };
}

async function createListener(channel: BenchChannel, port: number): Promise<Listener> {
  const [first, ...others] = channel.members;
  const [queue] = await registerQueues(port, [first!]);
  return { ...queue!, port, channel: { ...channel, members: others } };
}

/** Sends a message to a waiting poll. @returns milliseconds from the request to the poll's answer */
async function send(n: number, port: number, listening: Listener): Promise<number> {
  const answer = poll(listening);
  // The gateway holds the poll after this pause. The pause varies, because without wake-ups the gateway reads the log
  // at intervals.
  await pause(50 + ((n * 37) % 100));
  const startedAt = performance.now();
  const [{ at, messageId }, { id }] = await Promise.all([
    answer,
    ask<{ id: number }>(port, sendRequest({ channels: [listening.channel] }, n)),
  ]);
  if (messageId !== id) throw new Error(`message ${id} was not received`);
  return at - startedAt;
}

/** Polls for the next message. @returns its id, and when it arrived, by `performance.now()` */
async function poll(listening: Listener): Promise<{ at: number; messageId: number | undefined }> {
  const { port, path, authorization, lastEventId } = listening;
  const { events } = await ask<{ events: Array<{ id: number; message?: { id: number } }> }>(port, {
    path: `${path}&last_event_id=${lastEventId}`,
    headers: { authorization },
  });
  const at = performance.now();
  const [event] = events;
  if (!event || events.length > 1) throw new Error(`a poll returned ${events.length} events`);
  listening.lastEventId = event.id;
  return { at, messageId: event.message?.id };
}
