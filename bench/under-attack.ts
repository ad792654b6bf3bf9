import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { testSecretKey } from "@carillon/testkit";
import { makeScene, type Attack } from "../test/scale/attacks/attack.ts";
import { p95 } from "../test/scale/attacks/bystander.ts";
import { attacks } from "../test/scale/attacks/cases.ts";
import { gatewayMemoryLimit, inContainer, peakMemory } from "../test/scale/attacks/memory.ts";
import { startChild } from "./lib/child.ts";
import { report, say, type Row } from "./lib/report.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { startGateway } from "./lib/system.ts";
import type { BystanderRequest, BystanderMeasurements } from "./peers/bystander.ts";

// Measures how long other requests wait, and how much memory a gateway takes, while an account attacks it. With
// arguments, runs only the attacks with a name that contains one of them.
const seconds = Number(process.env["CARILLON_ATTACK_SECONDS"] ?? "60");
const quietMs = 5_000;
const limitMs = 100;

const wanted = process.argv.slice(2);
const limit = gatewayMemoryLimit();
const rows: Row[] = [];
for (const attack of attacks)
  if (wanted.length === 0 || wanted.some((part) => attack.name.includes(part)))
    rows.push(...(await measure(attack)));
if (wanted.length === 0) await report("under-attack", rows);
process.exit(0);

async function measure(attack: Attack): Promise<Row[]> {
  const database = await createBenchDatabase("postgres");
  const variables = { SECRET_KEY: testSecretKey, ...inContainer(limit) };
  const gateway = await startGateway(database, [], variables);
  const url = `http://127.0.0.1:${gateway.port}`;
  const scene = await makeScene(database.db, url);
  await attack.prepare?.(scene);
  const other = startChild("bystander", "bench/peers/bystander.ts", { NODE_ENV: "production" });
  await other.written("bystander started");
  const read = async (): Promise<BystanderMeasurements> => {
    const answer = once(other.process, "message");
    other.process.send("read");
    return ((await answer) as [BystanderMeasurements])[0];
  };
  const { email, deliveryEmail, apiKey } = scene.bystander;
  const request: BystanderRequest = {
    url,
    bystander: { email, deliveryEmail, apiKey },
    bystanderRoom: { id: scene.bystanderRoom.id },
  };
  other.process.send(request);
  // A fresh process compiles code during its first requests.
  await pause(quietMs);
  await read();
  await pause(quietMs);
  const quiet = p95((await read()).times);
  const attacking = new AbortController();
  const run = attack.run(scene, attacking.signal);
  await pause(seconds * 1_000);
  const { times, failures } = await read();
  attacking.abort();
  await run;
  const peak = gateway.process.exitCode === null ? peakMemory(gateway.process.pid ?? 0) : undefined;
  await other.stop();
  await gateway.stop();
  await database.drop();
  const beside = p95(times);
  const more = Math.max(0, beside - quiet);
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  say(`${attack.name}: ${more.toFixed(0)} ms longer, ${peak ? megabytes(peak) : "it ended"}`);
  return [
    {
      question: `${attack.name}, for ${seconds} s: p95 of answers to another organization, beyond that of a quiet time`,
      value: `${more.toFixed(0)} ms longer (${beside.toFixed(0)} against ${quiet.toFixed(0)} ms; ${times.length} answers, ${failures.length} refused)`,
      target: `at most ${limitMs} ms longer, none refused`,
      holds: more <= limitMs && failures.length === 0,
    },
    {
      question: `${attack.name}, for ${seconds} s: the most memory that the gateway had`,
      value: peak === undefined ? "it ended" : megabytes(peak),
      target: `less than ${megabytes(limit)}`,
      holds: peak !== undefined && peak < limit,
    },
  ];
}
