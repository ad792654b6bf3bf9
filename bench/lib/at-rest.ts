import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startChild } from "./child.ts";
import { freePort } from "./free-port.ts";
import { processorMsOf } from "./settle.ts";

/** An idle Node process. */
export interface NodeAtRest {
  /** `standalone`, `gateway`, `worker`, `dashboard`. */
  readonly name: string;
  /** Resident memory (RSS) in megabytes, shared pages included. */
  readonly rss: number;
  /** Proportional set size (PSS) in megabytes: shared pages are divided among the processes. */
  readonly pss: number;
}

/** Milliseconds in which start-up tasks finish and V8 collects garbage by itself. */
const settleMs = 30_000;
/** The processes count as idle when they use at most this much CPU time in a second, in milliseconds, all together. */
const idleMs = 60;

/**
 * Measures the memory of an idle `npm start` with its own data folder. Calls `use` with the port of the gateway, waits for
 * half a minute, and then until all processes have been idle for a second. Does not force a garbage collection.
 * @param variables default: its own PostgreSQL, with the accounts of a first start
 */
export async function measureAtRest(
  variables: Readonly<Record<string, string | undefined>> = {},
  use: (port: number) => Promise<void> = async () => {},
): Promise<NodeAtRest[]> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-bench-rest-"));
  const port = await freePort();
  const child = startChild("standalone", "scripts/start.mjs", {
    ...variables,
    DATA_DIR: folder,
    PORT: String(port),
    DASHBOARD_PORT: String(await freePort()),
  });
  await child.written("Carillon is running");
  await use(port);
  await pause(settleMs);
  const pids = nodeProcessesBelow(child.process.pid ?? 0);
  const used = () => pids.reduce((sum, pid) => sum + processorMsOf(pid), 0);
  for (let before = used(); ;) {
    await pause(1_000);
    const now = used();
    if (now - before <= idleMs) break;
    before = now;
  }
  const nodes = pids.map(atRest);
  await child.stop();
  await rm(folder, { recursive: true, force: true });
  return nodes;
}

/** Lists the ids of all Node processes among a process and its descendants. */
function nodeProcessesBelow(top: number): number[] {
  const parents = readdirSync("/proc")
    .map(Number)
    .filter(Number.isInteger)
    .flatMap((pid) => {
      const fields = read(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
      return fields.length > 1 ? [{ pid, parent: Number(fields[1]) }] : [];
    });
  const found = [top];
  for (const pid of found)
    found.push(...parents.filter(({ parent }) => parent === pid).map((one) => one.pid));
  return found.filter((pid) => basename(readlinkSync(`/proc/${pid}/exe`)).startsWith("node"));
}

function atRest(pid: number): NodeAtRest {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  const megabytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(rollup)?.[1]) / 1_024;
  const command = read(`/proc/${pid}/cmdline`);
  const name = /apps\/(\w+)\//.exec(command)?.[1] ?? "standalone";
  return { name, rss: megabytes("Rss"), pss: megabytes("Pss") };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
