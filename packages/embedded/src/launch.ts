import { StartupError } from "@carillon/kit";
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Account } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { freePort } from "./free-port.ts";
import { readPostmaster } from "./postmaster-pid.ts";
import type { Settings } from "./settings.ts";

/** After a crash the server first replays its WAL, which may take a while. */
const readyWithinMs = 120_000;
/** Child processes of a killed server need a moment to notice; until then its shared memory is in use. */
const leftoversWithinMs = 15_000;
const maxLogBytes = 10_000_000;

/** What to start, and where. */
export interface Launch {
  cluster: string;
  logFile: string;
  port: number;
  binaries: Binaries;
  account: Account;
  settings: Settings;
}

/**
 * Starts a server as a session leader, so that Ctrl-C in the terminal does not reach it, and waits until it accepts
 * connections. Uses another port if `port` is taken.
 * @throws StartupError with the server's own message when it does not start
 */
export async function launch(what: Launch): Promise<{ child: ChildProcess; port: number }> {
  rotate(what.logFile);
  const giveUpAt = Date.now() + leftoversWithinMs;
  // Counts only taken ports: leftovers of a killed server say nothing about the port.
  let taken = 0;
  for (let attempt = 0; ; attempt++) {
    const port = await freePort(taken < 5 ? what.port : 0);
    const from = sizeOf(what.logFile);
    const child = start(what, port);
    if (await becomesReady(child, what.cluster)) {
      child.unref();
      return { child, port };
    }
    const output = readFileSync(what.logFile).subarray(from).toString("utf8");
    const isTaken = /could not create any TCP\/IP sockets/.test(output);
    if (isTaken) taken++;
    const isTemporary =
      isTaken ||
      (/pre-existing shared memory block|lock file "postmaster.pid"/.test(output) &&
        Date.now() < giveUpAt);
    if (!isTemporary || attempt > 200) throw new StartupError(refusal(output, what));
    await pause(100);
  }
}

function start(what: Launch, port: number): ChildProcess {
  const settings: Settings = {
    ...what.settings,
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
  };
  const command = what.account.command(what.binaries.postgres, [
    "-D",
    what.cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]);
  const log = openSync(what.logFile, "a", 0o600);
  try {
    const child = spawn(command.file, command.args, {
      ...what.account.options,
      cwd: "/",
      detached: true,
      stdio: ["ignore", log, log],
    });
    child.on("error", () => undefined);
    return child;
  } finally {
    closeSync(log);
  }
}

async function becomesReady(child: ChildProcess, cluster: string): Promise<boolean> {
  const deadline = Date.now() + readyWithinMs;
  while (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const postmaster = await readPostmaster(cluster);
    if (postmaster?.pid === child.pid && postmaster.status === "ready") return true;
    if (Date.now() > deadline) {
      child.kill("SIGQUIT");
      return false;
    }
    await pause(15);
  }
  return false;
}

function refusal(output: string, what: Launch): string {
  const reason = [...output.matchAll(/(?:FATAL|PANIC|ERROR): *(.*)/g)].at(-1)?.[1] ?? output.trim();
  return `the embedded PostgreSQL did not start: ${reason || "it logged nothing"} (${what.logFile})`;
}

function rotate(path: string): void {
  if (sizeOf(path) > maxLogBytes) renameSync(path, `${path}.1`);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
