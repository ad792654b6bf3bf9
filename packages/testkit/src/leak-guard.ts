import { setTimeout as pause } from "node:timers/promises";

/**
 * Fails a test file that leaves a server, a connection or a process open. It would keep mocha from exiting, and its origin
 * would be unknown.
 */

/** Resources that keep a process alive, by Node's names. */
const watched = ["TCPServerWrap", "TCPSocketWrap", "ProcessWrap"] as const;

/** How long a file's connections may take to close after its last hook, in milliseconds. */
const graceMs = 30_000;

/** Number of open resources of each kind. */
export function openResources(): Map<string, number> {
  const counts = new Map<string, number>(watched.map((kind) => [kind, 0]));
  for (const kind of process.getActiveResourcesInfo()) {
    const count = counts.get(kind);
    if (count !== undefined) counts.set(kind, count + 1);
  }
  return counts;
}

/**
 * Waits until no more resources are open than before.
 * @param earlier open resources before
 * @throws Error that lists the others if they are still open after `limitMs`
 */
export async function checkNothingLeaks(
  earlier: ReadonlyMap<string, number>,
  limitMs = graceMs,
): Promise<void> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const left = [...openResources()]
      .map(([kind, count]) => ({ kind, more: count - (earlier.get(kind) ?? 0) }))
      .filter(({ more }) => more > 0);
    if (left.length === 0) return;
    if (Date.now() > deadline) {
      const list = left.map(({ kind, more }) => `${more} ${kind}`).join(", ");
      throw new Error(`this suite leaves open: ${list}; close in \`after\` what it opened`);
    }
    await pause(20);
  }
}

/** Under mocha, the first file that imports the testkit adds the check after the last hook of every suite. */
if (typeof globalThis.before === "function") {
  before("guard against leaks", function guard() {
    let earlier: ReadonlyMap<string, number> = openResources();
    for (const suite of this.test?.parent?.suites ?? []) {
      suite.afterAll("leave nothing open", async () => {
        try {
          await checkNothingLeaks(earlier);
        } finally {
          // Leftovers of one suite are not reported for the next.
          earlier = openResources();
        }
      });
    }
  });
}
