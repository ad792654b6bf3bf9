import { setFlagsFromString } from "node:v8";

/**
 * How much the old generation may grow before V8 starts a major garbage collection, in percent of what survived the
 * last one. V8's own limit is up to four times as much: it suits programs whose old objects survive, while ours belong
 * to finished requests.
 */
const growthPercent = 60;

/**
 * Makes V8 collect old objects sooner in this process; to be called at its start. Any V8 flag on the command line would
 * make V8 reject the compiled code that Node's modules come with: 50 ms of processor time at each start (bench `start`,
 * docs/decisions/042).
 */
export function collectSooner(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}
