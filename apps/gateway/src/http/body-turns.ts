/** Maximum bodies that continue in one turn of the event loop. Each handles 64 KiB or a little more. */
const perTurn = 8;

const waiting: Array<() => void> = [];
let isScheduled = false;

/**
 * Calls `resume` in a later turn of the event loop, after the callbacks that have waited longer. A turn resumes only a few
 * bodies: with all of 40 uploads it would take 20 ms, and a request that needs several turns would wait that long for each.
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
