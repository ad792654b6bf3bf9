import { isAlive, type Logger } from "@carillon/kit";
import { setTimeout as pause } from "node:timers/promises";

/** SIGINT is the gentlest signal that does not wait for clients. After the others the next start replays the WAL. */
const escalation = [
  { signal: "SIGINT", waitMs: 8_000 },
  { signal: "SIGQUIT", waitMs: 2_000 },
  { signal: "SIGKILL", waitMs: 1_000 },
] as const;

/** Stops the server whose postmaster is `pid`; resolves when it is gone. */
export async function stopServer(pid: number, log: Logger): Promise<void> {
  for (const { signal, waitMs } of escalation) {
    if (signal !== "SIGINT")
      log.warn({ postgresPid: pid, signal }, "PostgreSQL did not stop; sending another signal");
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const deadline = Date.now() + waitMs;
    while (isAlive(pid)) {
      if (Date.now() > deadline) break;
      await pause(15);
    }
    if (!isAlive(pid)) return;
  }
}
