import { worryingSkew } from "./clock-skew.ts";
import { isAlive } from "./processes.ts";
import type { Snapshot } from "./readings.ts";
import { seconds } from "../pages/spans.ts";

/** From when on waiting is called late, in seconds: the sweep mends by itself what is younger. */
const lateAfter = 5;
const outboxLateAfter = 10;

/** What an operator should know at once, worst first; nothing when all is well. */
export function complaints(snapshot: Snapshot): string[] {
  const { lag, counts, processes, queues } = snapshot;
  const found: string[] = [];
  if (!lag) found.push("The database does not answer.");
  if (!queues) found.push("The queues do not answer.");
  if (lag && lag.dueLag > lateAfter) {
    found.push(`Messages are late: the oldest due one has been waiting ${seconds(lag.dueLag)}.`);
  }
  for (const role of ["worker", "gateway"]) {
    if (processes && !processes.some((row) => row.role === role && isAlive(row))) {
      found.push(`No ${role} is alive.`);
    }
  }
  if (lag && lag.outboxOldest > outboxLateAfter) {
    found.push(`Work does not get into the queues: the oldest waits ${seconds(lag.outboxOldest)}.`);
  }
  if (counts && counts.deadLetters > 0) {
    found.push(`Dead letters: ${counts.deadLetters}.`);
  }
  if (counts && counts.bouncerAway > 0) found.push("The push bouncer does not answer.");
  if (lag && Math.abs(lag.clockSkew) >= worryingSkew) {
    const side = lag.clockSkew > 0 ? "ahead of" : "behind";
    const by = seconds(Math.abs(lag.clockSkew));
    found.push(`The database's clock is ${by} ${side} this machine's.`);
  }
  return found;
}
