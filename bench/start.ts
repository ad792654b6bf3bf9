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
import { serverEnvironment } from "./lib/system.ts";

// Measures the time until the gateway answers. Compares a gateway process, which sets a flag of V8
// itself, with one that gets the flag on the command line. Then measures `npm start` in a built checkout with data.
const starts = 7;
const root = fileURLToPath(new URL("..", import.meta.url));
const rows: Row[] = [];

await measureGateway();
await measureNpmStart();
await report("start", rows);
process.exit(0);

async function measureGateway(): Promise<void> {
  const database = await createBenchDatabase("postgres");
  const taken: number[] = [];
  const withFlag: number[] = [];
  const start = async (nodeOptions: readonly string[]) => {
    const port = await freePort();
    const begun = performance.now();
    const env = { ...serverEnvironment(database), PORT: String(port) };
    const gateway = startChild("gateway", "apps/gateway/dist/main.js", env, nodeOptions);
    await waitUntilHealthy(port);
    const tookMs = performance.now() - begun;
    await gateway.stop();
    return tookMs;
  };
  for (let n = 0; n < starts; n++) {
    taken.push(await start([]));
    withFlag.push(await start(["--heap-growing-percent=60"]));
  }
  await database.drop();
  addRow("a gateway's process until its first answer", taken, 1_200);
  const ratio = medianRatio(taken, withFlag);
  rows.push({
    question: `a gateway's process until its first answer, against a gateway that gets its V8 flag on the command line, ${starts} starts each`,
    value: `${ratio.toFixed(2)} × (${spread(withFlag)} ms)`,
    target: "at most 1.0 ×",
    holds: ratio <= 1,
  });
}

async function measureNpmStart(): Promise<void> {
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
    await waitUntilHealthy(Number(ports.PORT));
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
  for (let n = 0; n < starts; n++) {
    const { tookMs, phases: found } = await start();
    taken.push(tookMs);
    allPhases.push(found);
  }
  await rm(folder, { recursive: true });
  for (const name of Object.keys(allPhases[0] ?? {}))
    say(`${name} after ${spread(allPhases.map((one) => one[name] ?? 0))} ms`);
  addRow("`npm start` until the gateway's first answer", taken, 3_000);
}

/** Returns when each line of the standalone's log was written, by its text, in milliseconds since the start. */
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
async function waitUntilHealthy(port: number): Promise<void> {
  const ask = () =>
    new Promise<boolean>((resolve) => {
      get({ host: "127.0.0.1", port, path: "/health", agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      }).on("error", () => resolve(false));
    });
  for (const deadline = Date.now() + 60_000; !(await ask()); await pause(5))
    if (Date.now() > deadline) throw new Error(`no answer on port ${port}`);
}

function addRow(question: string, taken: readonly number[], limitMs: number): void {
  const value = `${spread(taken)} ms`;
  say(`${question}: ${value}`);
  rows.push({
    question: `${question}, ${starts} starts`,
    value,
    target: `at most ${limitMs} ms`,
    holds: median(taken) <= limitMs,
  });
}
