import { heartbeatOf, leads, startTask, tasksOf, type RecurringTask } from "@carillon/scheduling";
import { allRecurring } from "@carillon/jobs";
import {
  captureLog,
  countQueries,
  organization,
  keepingMailer,
  testFiles,
  testOutgoing,
  testSite,
  useDatabase,
  useQueues,
} from "@carillon/testkit";
import { expect } from "chai";

import { workerTasks } from "../recurring.ts";
import type { WorkerServices } from "../services.ts";

describe("the recurring work of a worker", () => {
  const db = useDatabase();
  const { log } = captureLog();
  const queues = useQueues("postgres", db);
  let tasks: ReadonlyMap<string, RecurringTask<WorkerServices>>;
  let services: WorkerServices;
  let realmId: number;
  before(async () => {
    services = {
      db,
      queues,
      site: testSite(),
      mailer: keepingMailer(),
      files: testFiles(),
      outgoing: testOutgoing(),
      log,
    };
    tasks = tasksOf("worker", [...(await workerTasks()), heartbeatOf("worker")]);
    const { realm, member } = await organization(db, { row: { waitingPeriodThreshold: 2 } });
    realmId = realm.id;
    await db.rows("UPDATE users SET date_joined = now() - interval '2 days' WHERE id = $1", [
      member.id,
    ]);
  });

  it("has a task for each declaration of its kind", () => {
    const declared = allRecurring.filter(({ processes }) => processes.includes("worker"));
    expect([...tasks.keys()]).to.have.members(declared.map(({ name }) => name));
  });

  for (const definition of allRecurring.filter(({ leader }) => leader !== "none"))
    it(`changes nothing while another process leads: ${definition.name}`, async () => {
      const task = tasks.get(definition.name);
      if (!task) throw new Error("it has no task");
      const realm = definition.leader === "one" ? undefined : realmId;
      await db.transaction(async (tx) => {
        expect(await leads(tx, definition, realm)).to.equal(true);
        const { statements } = await countQueries(db, async () => {
          const started = startTask(task, services);
          await started.run();
          await started.stop();
        });
        expect(statements.join("\n")).to.contain("pg_try_advisory_xact_lock");
        expect(statements.filter((text) => /INSERT|UPDATE|DELETE/.test(text))).to.deep.equal([]);
      });
    });
});
