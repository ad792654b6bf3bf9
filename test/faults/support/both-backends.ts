import { queueBackends, redisUrl, type QueueBackend } from "@carillon/testkit";

/** Plays from the first row to the verdict, with everything of its own. */
export type Scenario = (backend: QueueBackend) => Promise<void>;

/**
 * Plays scenarios on both stores of the queues, all at the same time, because faults are mostly a matter of waiting,
 * and tells of each in a test of its own. Without a Redis server its half is pending tests.
 * @param scenarios by what each shows
 * @param limitMs how long they may take
 */
export function onBothBackends(
  title: string,
  limitMs: number,
  scenarios: Readonly<Record<string, Scenario>>,
): void {
  describe(title, function () {
    this.timeout(limitMs);
    const runs: Array<Promise<void>> = [];
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));

    before("start all", () => begin());

    for (const [what, scenario] of Object.entries(scenarios)) {
      for (const backend of queueBackends) {
        if (backend === "redis" && !redisUrl()) {
          it(`${what}, on redis: needs CARILLON_TEST_REDIS_URL`);
          continue;
        }
        const run = begun.then(() => scenario(backend));
        // Its own test tells.
        run.catch(() => undefined);
        runs.push(run);
        it(`${what}, on ${backend}`, () => run);
      }
    }

    after("wait for all", async () => {
      await Promise.allSettled(runs);
    });
  });
}
