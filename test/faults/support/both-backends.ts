import { Semaphore } from "@carillon/kit";
import { queueBackends, redisUrl, type QueueBackend } from "@carillon/testkit";

/** Runs a scenario on one backend, with its own database and queues. */
export type Scenario = (backend: QueueBackend) => Promise<void>;

/**
 * Scenarios of a file that run at once. Most start processes: with twice as many the processes are not ready in time
 * on a busy machine with two cores, and half as many double the time of the suites.
 */
const playedAtOnce = 8;

/**
 * Runs scenarios on both stores of the queues, several at once, because they mostly wait, and reports each as a test.
 * Without a Redis server the Redis tests are pending.
 * @param scenarios by test title
 * @param limitMs time limit for one round of concurrent scenarios; a test also waits for the rounds before its own
 */
export function onBothBackends(
  title: string,
  limitMs: number,
  scenarios: Readonly<Record<string, Scenario>>,
): void {
  describe(title, function () {
    const rounds = Math.ceil((Object.keys(scenarios).length * queueBackends.length) / playedAtOnce);
    this.timeout(limitMs * rounds);
    const runs: Array<Promise<void>> = [];
    const semaphore = new Semaphore(playedAtOnce);
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));

    before("start the first", () => begin());

    for (const [what, scenario] of Object.entries(scenarios)) {
      for (const backend of queueBackends) {
        if (backend === "redis" && !redisUrl()) {
          it(`${what}, on redis: needs CARILLON_TEST_REDIS_URL`);
          continue;
        }
        const run = begun.then(() => semaphore.run(() => scenario(backend)));
        // Reported by the scenario's own test.
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
