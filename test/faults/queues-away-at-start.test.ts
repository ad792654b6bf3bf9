import { deliverDue } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import {
  needServer,
  openQueues,
  startOwnPostgres,
  startOwnRedis,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

const backends = {
  postgres: {
    start: startOwnPostgres,
    signal: "SIGINT",
    config: (url: string) => ({ databaseUrl: url }),
  },
  redis: {
    start: startOwnRedis,
    signal: "SIGKILL",
    config: (url: string) => ({ databaseUrl: "", redisUrl: url }),
  },
} as const;

for (const [name, { start, signal, config }] of Object.entries(backends))
  describe(`A worker that starts while its store is away, on ${name}`, () => {
    for (const [when, isAway] of [
      ["goes away while the worker connects", false],
      ["went away before", true],
    ] as const)
      it(`takes jobs after the store's return, if it ${when}`, async function () {
        needServer(name as keyof typeof backends, this);
        const store = await start();
        const { connect, close } = openQueues({ ...config(store.url), log: silentLogger });
        try {
          const queues = await connect();
          if (isAway) await store.stop(signal);
          const taken: unknown[] = [];
          queues.worker("delivery", {
            definitions: [deliverDue],
            log: silentLogger,
            run: async ({ data }) => void taken.push(data),
          });
          if (!isAway) await store.stop(signal);
          await store.start();
          let second = 1;
          await waitFor(
            async () => {
              // Fails until the connection for adding jobs is there again.
              await queues
                .publish([{ job: deliverDue, payload: { realmId: 1, second: second++ } }])
                .catch(() => undefined);
              return taken.length > 0;
            },
            { what: "the worker takes a job", everyMs: 200 },
          );
          expect(taken[0]).to.include({ realmId: 1 });
        } finally {
          await close();
          await store.close();
        }
      });
  });
