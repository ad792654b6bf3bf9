import { reservePort, waitFor, type OwnServer } from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { keepRunning, type Kept } from "./support/keep-running.ts";
import { crowd } from "./support/load.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { requestLoad, type RequestLoad } from "./support/requests.ts";
import { allSent, expectSentOnce } from "./support/verdict.ts";
import { inWorldWithPostgres, type World } from "./support/world.ts";

onBothBackends("PostgreSQL restarted under load, by fast and immediate shutdown", scenarioMs, {
  "loses nothing and sends nothing twice": (backend) => inWorldWithPostgres(backend, underLoad),
});

async function underLoad(world: World, server: OwnServer): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  const port = await reservePort();
  const processes = [
    keepRunning(() => world.startGateway({ PORT: String(port) })),
    keepRunning(() => world.startWorker()),
  ];
  const load = requestLoad(`http://127.0.0.1:${port}`, people);
  try {
    await goesOn(world, load);
    for (const signal of ["SIGINT", "SIGQUIT"] as const) {
      await server.stop(signal);
      const failures = load.failures.length;
      await waitFor(() => load.failures.length > failures, { what: "requests are refused" });
      await server.start();
      await goesOn(world, load);
    }
    await load.stop();
    await allSent(db, people.realmId, waitTimeoutMs);
    await judge(world, load, people.realmId);
    expectHonestEnds(processes);
  } finally {
    await load.stop();
    await Promise.all(processes.map((kept) => kept.stop()));
  }
}

/** Waits until requests succeed again, and messages scheduled by them are sent. */
async function goesOn({ db }: World, load: RequestLoad): Promise<void> {
  const earlier = load.acknowledged.length;
  await waitFor(() => load.acknowledged.length > earlier + 20, {
    what: "requests succeed",
    timeoutMs: waitTimeoutMs,
  });
  const ids = load.acknowledged.slice(earlier);
  const sent = () =>
    db.rows("SELECT FROM messages WHERE scheduled_message_id = ANY($1) LIMIT 1", [ids]);
  await waitFor(async () => (await sent()).length > 0, {
    what: "messages are sent",
    timeoutMs: waitTimeoutMs,
    everyMs: 100,
  });
}

async function judge({ db }: World, load: RequestLoad, realmId: number): Promise<void> {
  const rows = await db.rows<{ id: number }>(
    "SELECT id FROM scheduled_messages WHERE realm_id = $1",
    [realmId],
  );
  // A commit whose response was lost is sent, too.
  await expectSentOnce(db, realmId, rows.length);
  expect(rows.map(({ id }) => id)).to.include.members([...load.acknowledged]);
  expect(load.hung, "requests without an answer").to.deep.equal([]);
}

/** Checks that each process that could not continue exited with code 1, so that it is restarted. */
function expectHonestEnds(processes: readonly Kept[]): void {
  for (const { exits } of processes) {
    for (const { code } of exits) expect(code, JSON.stringify(exits)).to.equal(1);
  }
}
