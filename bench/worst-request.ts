import { setTimeout as pause } from "node:timers/promises";
import { startBarePeer } from "./lib/bare-peer.ts";
import { longestIteration, measuringIterations } from "./lib/longest-iteration.ts";
import { report, say, type Row } from "./lib/report.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { worstCases } from "./worst-request/cases.ts";
import { createCrowded } from "./worst-request/crowded.ts";
import type { Case } from "./worst-request/requests.ts";
import { send } from "./worst-request/send.ts";
import { startWatcher } from "./worst-request/watch.ts";

// Measures how long the most expensive requests delay other requests. With arguments, runs only the cases with a name
// that contains one of them.
const rounds = 3;
const quietMs = 300;
const limitMs = 100;

const wanted = process.argv.slice(2);
const database = await createBenchDatabase("postgres");
const crowded = await createCrowded(database.db);
say("created the organization");
const gateway = await startGateway(database, measuringIterations);
const idle = await startBarePeer("idle-server", database);
const watcher = await startWatcher(gateway.port, crowded.crowd[0]!, idle.port);
await waitUntilWarm();
const rows: Row[] = [];
for (const one of worstCases(crowded)) {
  if (wanted.length > 0 && !wanted.some((part) => one.name.includes(part))) continue;
  rows.push(await measure(one));
}
if (wanted.length === 0) await report("worst-request", rows);
await watcher.stop();
await idle.child.stop();
await gateway.stop();
await database.drop();
process.exit(0);

/** Waits, up to a minute, until the new gateway answers the watcher within the limit. */
async function waitUntilWarm(): Promise<void> {
  for (let attempts = 0; attempts < 60; attempts++) {
    await pause(1_000);
    if ((await watcher.read()).account < limitMs) return;
  }
}

/** Compares the longest wait of the watcher during the requests with its longest wait in a quiet time before them. */
async function measure({ name, inTurn, requests }: Case): Promise<Row> {
  const quiet: number[] = [];
  const beside: number[] = [];
  const held: number[] = [];
  const machine: number[] = [];
  const iterations: number[] = [];
  let answers: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const ready = requests(round);
    await pause(quietMs / 2);
    await watcher.read();
    await pause(quietMs);
    quiet.push((await watcher.read()).account);
    await longestIteration(gateway);
    answers = inTurn ? [] : await Promise.all(ready.map((request) => send(gateway.port, request)));
    if (inTurn) for (const request of ready) answers.push(await send(gateway.port, request));
    await pause(quietMs / 4);
    const waits = await watcher.read();
    beside.push(waits.account);
    held.push(waits.process);
    machine.push(waits.machine);
    iterations.push(await longestIteration(gateway));
  }
  const more = Math.max(0, median(beside) - median(quiet));
  const value = `${more.toFixed(0)} ms longer (${median(beside).toFixed(0)} against ${median(quiet).toFixed(0)} ms; ${median(held).toFixed(0)} ms for a path that needs no database, ${median(machine).toFixed(0)} ms of an idle server; longest iteration of the event loop ${median(iterations).toFixed(0)} ms of processor time; answered ${[...new Set(answers)].join(", ")})`;
  say(`${more <= limitMs ? "  " : "NO"} ${name}: ${value}`);
  return {
    question: `${name}: longest wait of another client that sends a request every 20 ms, beyond that of a quiet time, median of ${rounds} rounds`,
    value,
    target: `at most ${limitMs} ms longer`,
    holds: more <= limitMs,
  };
}
