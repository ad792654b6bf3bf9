/** Seconds between lines outside a terminal. */
const everySeconds = 10;

/**
 * Shows progress while `work` runs: in a terminal on one updated line, else on a line now and then. On standard error,
 * because standard output belongs to the program that is started next, such as a backup.
 * @template T
 * @param {string} what
 * @param {(() => number) | undefined} done amount done of `all`; undefined if unknown
 * @param {number} all
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function progress(what, done, all, work) {
  const begun = performance.now();
  const { isTTY } = process.stderr;
  let printedAt = 0;
  const printProgress = () => {
    const seconds = Math.round((performance.now() - begun) / 1_000);
    const part = done ? `, ${done()} of ${all}` : "";
    if (isTTY) process.stderr.write(`\r\x1b[K${what} … ${seconds} s${part}`);
    else if (seconds >= printedAt + everySeconds) {
      printedAt = seconds;
      console.error(`${what} … ${seconds} s${part}`);
    }
  };
  console.error(`${what} …`);
  if (isTTY) process.stderr.write("\x1b[1A");
  const timer = setInterval(printProgress, 1_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    if (isTTY) process.stderr.write(`\r\x1b[K`);
    console.error(`${what} took ${seconds} s.`);
  }
}
