import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { say, report, type Row } from "./lib/report.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { startChild } from "./lib/child.ts";
import { freePort } from "./lib/free-port.ts";
import { gatewayEnvironment } from "./lib/system.ts";

// The time until the gateway answers: of `npm start`, installed, built and with data, and of the gateway process alone,
// which sets V8's flag itself, compared with a gateway that gets the flag on the command line.
const turns = 7;
const root = fileURLToPath(new URL("..", import.meta.url));
const rows: Row[] = [];

await alone();
await whole();
await report("start", rows);
process.exit(0);

async function alone(): Promise<void> {
  const database = await createBenchDatabase("postgres");
  const taken: number[] = [];
  const withFlag: number[] = [];
  const start = async (nodeOptions: readonly string[]) => {
    const port = await freePort();
    const begun = performance.now();
    const env = { ...gatewayEnvironment(database), PORT: String(port) };
    const gateway = startChild("gateway", "apps/gateway/dist/main.js", env, nodeOptions);
    await answers(port);
    const tookMs = performance.now() - begun;
    await gateway.stop();
    return tookMs;
  };
  for (let turn = 0; turn < turns; turn++) {
    taken.push(await start([]));
    withFlag.push(await start(["--heap-growing-percent=60"]));
  }
  await database.drop();
  add("a gateway's process until its first answer", taken, 1_200);
  const ratio = medianRatio(taken, withFlag);
  rows.push({
    question: `the same against a gateway that gets its V8 flag on the command line, ${turns} turns`,
    value: `${ratio.toFixed(2)} × (${spread(withFlag)} ms)`,
    target: "at most 1.0 ×",
    holds: ratio <= 1,
  });
}

async function whole(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-bench-start-"));
  const ports = { PORT: String(await freePort()), DASHBOARD_PORT: String(await freePort()) };
  const start = async () => {
    const begunAt = Date.now();
    const npm = spawn("npm", ["start"], {
      cwd: root,
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...ports, DATA_DIR: folder },
      stdio: "ignore",
      detached: true,
    });
    const ended = once(npm, "exit");
    await answers(Number(ports.PORT));
    const tookMs = Date.now() - begunAt;
    const log = await readFile(join(folder, "logs", "standalone.log"), "utf8");
    npm.kill("SIGTERM");
    await ended;
    return { tookMs, phases: phases(log, begunAt) };
  };
  const first = await start();
  say(`npm start, the first time in this folder: ${first.tookMs} ms`);
  const taken: number[] = [];
  const allPhases: Record<string, number>[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const { tookMs, phases: found } = await start();
    taken.push(tookMs);
    allPhases.push(found);
  }
  await rm(folder, { recursive: true });
  for (const name of Object.keys(allPhases[0] ?? {}))
    say(`${name} after ${spread(allPhases.map((one) => one[name] ?? 0))} ms`);
  add("`npm start` until the gateway's first answer", taken, 3_000);
}

/** Returns when the standalone's log contains the text, in milliseconds since the start. */
function phases(log: string, begunAt: number): Record<string, number> {
  const lines = log
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { time: string; msg: string; child?: string })
    .filter(({ time }) => Date.parse(time) >= begunAt);
  const entries = lines.map(({ time, msg, child }) => [
    [child, msg].filter(Boolean).join(" "),
    Date.parse(time) - begunAt,
  ]);
  return Object.fromEntries(entries) as Record<string, number>;
}

/** Resolves at the first 200 of `GET /health`. */
async function answers(port: number): Promise<void> {
  const ask = () =>
    new Promise<boolean>((resolve) => {
      get({ host: "127.0.0.1", port, path: "/health", agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      }).on("error", () => resolve(false));
    });
  for (const deadline = Date.now() + 60_000; !(await ask()); await pause(5))
    if (Date.now() > deadline) throw new Error(`nobody answers on port ${port}`);
}

function add(question: string, taken: readonly number[], limitMs: number): void {
  const value = `${spread(taken)} ms`;
  say(`${question}: ${value}`);
  rows.push({
    question: `${question}, ${turns} turns`,
    value,
    target: `at most ${limitMs} ms`,
    holds: median(taken) <= limitMs,
  });
}
