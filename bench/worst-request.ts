import { setTimeout as pause } from "node:timers/promises";
import { startBarePeer } from "./lib/bare-peer.ts";
import { longestTurn, measuringTurns } from "./lib/longest-turn.ts";
import { report, say, type Row } from "./lib/report.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { worstCases } from "./worst-request/cases.ts";
import { createCrowded } from "./worst-request/crowded.ts";
import type { Case } from "./worst-request/requests.ts";
import { send } from "./worst-request/send.ts";
import { startWatcher } from "./worst-request/watch.ts";

// How long one request of any content delays other requests. Arguments: run only cases whose name contains one of them.
const rounds = 3;
const quietMs = 300;
const limitMs = 100;

const wanted = process.argv.slice(2);
const database = await createBenchDatabase("postgres");
const crowded = await createCrowded(database.db);
say("the organization is there");
const gateway = await startGateway(database, measuringTurns);
const idle = await startBarePeer("idle-server", database);
const watcher = await startWatcher(gateway.port, crowded.crowd[0]!, idle.port);
await settled();
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

/** Waits until a fresh process has answered its first requests. */
async function settled(): Promise<void> {
  for (let attempts = 0; attempts < 60; attempts++) {
    await pause(1_000);
    if ((await watcher.read()).account < limitMs) return;
  }
}

/**
 * Returns the longest wait of the other client during the request, compared with the longest in an equally long time
 * before.
 */
async function measure({ name, inTurn, requests }: Case): Promise<Row> {
  const quiet: number[] = [];
  const beside: number[] = [];
  const held: number[] = [];
  const machine: number[] = [];
  const turns: number[] = [];
  let answers: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const ready = requests(round);
    await pause(quietMs / 2);
    await watcher.read();
    await pause(quietMs);
    quiet.push((await watcher.read()).account);
    await longestTurn(gateway);
    answers = inTurn ? [] : await Promise.all(ready.map((request) => send(gateway.port, request)));
    if (inTurn) for (const request of ready) answers.push(await send(gateway.port, request));
    await pause(quietMs / 4);
    const waits = await watcher.read();
    beside.push(waits.account);
    held.push(waits.process);
    machine.push(waits.machine);
    turns.push(await longestTurn(gateway));
  }
  const more = Math.max(0, median(beside) - median(quiet));
  const value = `${more.toFixed(0)} ms longer (${median(beside).toFixed(0)} against ${median(quiet).toFixed(0)} ms; ${median(held).toFixed(0)} ms where no database is asked, ${median(machine).toFixed(0)} ms of a server that has nothing to do; longest turn ${median(turns).toFixed(0)} ms of processor time; answered ${[...new Set(answers)].join(", ")})`;
  say(`${more <= limitMs ? "  " : "NO"} ${name}: ${value}`);
  return {
    question: `${name}: longest wait of others who ask every 20 ms, beyond that of a quiet time, median of ${rounds} rounds`,
    value,
    target: `at most ${limitMs} ms longer`,
    holds: more <= limitMs,
  };
}
