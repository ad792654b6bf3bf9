/** Bodies that continue in one turn of the event loop; each handles 64 KiB or a little more. */
const perTurn = 8;

const waiting: Array<() => void> = [];
let isScheduled = false;

/**
 * Calls `resume` in a later turn of the event loop, after those that have waited longer. Few bodies take a turn: with 40
 * uploads at once a turn would last 20 ms, and a request that needs several turns would wait for each of them.
 */
export function resumeLater(resume: () => void): void {
  waiting.push(resume);
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(resumeSome);
}

function resumeSome(): void {
  const some = waiting.splice(0, perTurn);
  isScheduled = waiting.length > 0;
  if (isScheduled) setImmediate(resumeSome);
  for (const resume of some) resume();
}
