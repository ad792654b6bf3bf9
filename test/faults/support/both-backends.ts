import { queueBackends, redisUrl, type QueueBackend } from "@carillon/testkit";
import pLimit from "p-limit";

/** Plays from the first row to the verdict, with everything of its own. */
export type Scenario = (backend: QueueBackend) => Promise<void>;

/**
 * Scenarios of a file that are played at once. Most start processes of their own: twice as many at once do not get ready
 * in time on a busy machine of two cores, and half as many double the time of the suites.
 */
const playedAtOnce = 8;

/**
 * Plays scenarios on both stores of the queues, a few at the same time, because faults are mostly a matter of waiting, and
 * reports each in a test of its own. Without a Redis server its half is pending tests.
 * @param scenarios by what each shows
 * @param limitMs how long as many as are played at once may take; a test waits for those before its own, too
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
    const limit = pLimit(playedAtOnce);
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));

    before("start the first", () => begin());

    for (const [what, scenario] of Object.entries(scenarios)) {
      for (const backend of queueBackends) {
        if (backend === "redis" && !redisUrl()) {
          it(`${what}, on redis: needs CARILLON_TEST_REDIS_URL`);
          continue;
        }
        const run = begun.then(() => limit(() => scenario(backend)));
        // Its own test reports it.
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
