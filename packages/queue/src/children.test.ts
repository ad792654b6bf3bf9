import { backoff, GiveUp, job, type Publication } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { needServer, openStore, storeKinds, waitUntil, type TestStore } from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";

import { AwaitChildren } from "./await-children.ts";
import type { Queues } from "./queues.ts";
import type { Run, WorkerHandle } from "./worker.ts";

const declare = (name: string, yields = false) =>
  job({
    name,
    queue: "maintenance",
    about: "A job of the tests.",
    payload: z.strictObject({ id: z.int() }),
    key: ({ id }) => `${name}-${id}`,
    retry: backoff({ attempts: 2, first: "10ms", cap: "20ms", jitter: 0 }),
    deadline: "20s",
    yields,
  });
const parent = declare("parent");
const child = declare("child", true);
const other = declare("other");

for (const kind of storeKinds)
  describe(`a job that waits for its children, on ${kind}`, () => {
    let store: TestStore;
    let queues: Queues;
    let workers: WorkerHandle[];
    let begun: string[];

    before(function () {
      needServer(kind, this);
    });
    beforeEach(async () => {
      store = await openStore(kind);
      queues = await store.connect();
      workers = [];
      begun = [];
    });
    afterEach(async () => {
      await Promise.all(workers.map((worker) => worker.close()));
      await store.drop();
    });

    const work = (run: (given: Run) => Promise<void>, concurrency = 2) =>
      workers.push(
        queues.worker("maintenance", {
          definitions: [parent, child, other],
          log: silentLogger,
          concurrency,
          run: async (given) => {
            begun.push(given.id);
            await run(given);
          },
        }),
      );
    const children = (...ids: number[]): Publication[] =>
      ids.map((id) => ({ job: child, payload: { id } }));
    const stateOf = async (id: string) => (await queues.queue("maintenance").job(id))?.state;
    const times = (id: string) => begun.filter((one) => one === id).length;

    it("runs again as the same attempt when all children have ended, successfully or not", async () => {
      const attempts: number[] = [];
      work(async ({ id, attempt }) => {
        if (id === "child-2") throw new GiveUp("in vain");
        if (id === "child-3") throw new Error("comes to nothing twice");
        if (id !== "parent-1") return;
        attempts.push(attempt);
        if (attempts.length === 1) throw new AwaitChildren(children(1, 2, 3));
      });
      await queues.publish([{ job: parent, payload: { id: 1 } }]);
      await waitUntil("the second run", () => attempts.length === 2);
      expect(attempts).to.deep.equal([1, 1]);
      expect([times("child-1"), times("child-2"), times("child-3")]).to.deep.equal([1, 1, 2]);
      expect(begun.at(-1)).to.equal("parent-1");
      await waitUntil("its end", async () => (await stateOf("parent-1")) === undefined);
    });

    it("is still to run while a child is", async () => {
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => (open = resolve));
      work(async ({ id }) => {
        if (id === "child-1") await opened;
        if (id === "parent-1" && times(id) === 1) throw new AwaitChildren(children(1));
      });
      await queues.publish([{ job: parent, payload: { id: 1 } }]);
      await waitUntil("the child's run", () => times("child-1") === 1);
      await waitUntil(
        "the waiting",
        async () => (await stateOf("parent-1")) === "waiting-children",
      );
      expect(await queues.queue("maintenance").presence("parent-1")).to.equal("to run");
      open();
      await waitUntil("the second run", () => times("parent-1") === 2);
    });

    it("may wait for children again, and for none", async () => {
      work(async ({ id }) => {
        if (id === "parent-1" && times(id) < 4)
          throw new AwaitChildren(times(id) === 2 ? [] : children(times(id)));
      });
      await queues.publish([{ job: parent, payload: { id: 1 } }]);
      await waitUntil("the fourth run", () => times("parent-1") === 4);
      expect(begun).to.deep.equal([
        "parent-1",
        "child-1",
        "parent-1",
        "parent-1",
        "child-3",
        "parent-1",
      ]);
    });

    it("lets other jobs run before children that yield", async () => {
      work(async ({ id }) => {
        if (id === "parent-1" && times(id) === 1) throw new AwaitChildren(children(1, 2, 3));
        if (id === "child-1") await queues.publish([{ job: other, payload: { id: 1 } }]);
      }, 1);
      await queues.publish([{ job: parent, payload: { id: 1 } }]);
      await waitUntil("the second run", () => times("parent-1") === 2);
      expect(begun).to.deep.equal([
        "parent-1",
        "child-1",
        "other-1",
        "child-2",
        "child-3",
        "parent-1",
      ]);
    });
  });
