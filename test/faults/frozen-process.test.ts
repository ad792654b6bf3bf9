import { connectDatabase, lockClass, type Database, type Tx } from "@carillon/db";
import { deliverDue } from "@carillon/jobs";
import {
  clientOf,
  nth,
  pastMessages,
  startFaultProxy,
  startWorker,
  waitFor,
  type QueueBackend,
  type TestWorker,
} from "@carillon/testkit";
import { expect } from "chai";
import { sendAway } from "../e2e/support/away-world.ts";
import { onBothBackends } from "./support/both-backends.ts";
import { crowd, schedule, addDeliveryJobs, type Crowd } from "./support/load.ts";
import { gate, type Gate } from "./support/blockers.ts";
import { allSent, expectSentOnce, pending } from "./support/verdict.ts";
import { scenarioMs, waitTimeoutMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

const messages = 20;
/** The promise after a crash, in milliseconds. */
const promiseMs = 35_000;

onBothBackends("An organization", scenarioMs, {
  "still gets its messages when a worker freezes in the middle of a batch": (backend) =>
    inWorld(backend, frozenDeliverer),
  "still gets its messages when a gateway freezes in the middle of an edit": (backend) =>
    inWorld(backend, frozenEditor),
  "shows a person who comes back all messages when a gateway freezes while it makes the copies": (
    backend,
  ) => inWorld(backend, frozenReturn),
  "still gets its messages when the network drops a connection that holds its locks": (backend) =>
    inWorld(backend, swallowedConnection),
  "gets its messages later when delivery jobs find its delivery lock taken": lookedAtAgain,
});

/** Sets a limit of one second. The processes set ten seconds themselves; a test of the pool checks that. */
function impatient(url: string): string {
  const changed = new URL(url);
  changed.searchParams.set("idle_in_transaction_session_timeout", "1000");
  return changed.href;
}

async function frozenDeliverer(world: World): Promise<void> {
  const { db, queues } = world;
  const people = await crowd(db);
  const inserts = await gate(db, "INSERT ON messages");
  const worker = await world.worker({ DATABASE_URL: impatient(db.url) });
  await addDeliveryJobs(
    queues,
    await schedule(db, people, { count: messages, dueIn: 0, seconds: 1 }),
  );
  await underWay(inserts);
  worker.signal("SIGSTOP");
  await inserts.open();
  await deliveredByAnother(world, people);
}

async function frozenEditor(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  const { owner } = people.org;
  const gateway = await world.gateway({ DATABASE_URL: impatient(db.url) });
  const [first] = await schedule(db, people, { count: messages, dueIn: 0, seconds: 1 });
  await db.rows("UPDATE scheduled_messages SET sender_id = $1 WHERE id = $2", [
    owner.id,
    first?.scheduledMessageId,
  ]);
  const path = `/api/v1/scheduled_messages/${first?.scheduledMessageId}`;
  const edit = (topic: string) => clientOf(gateway.url, owner).patch(path, { topic });
  // The first request of a process may take longer than the limit set here.
  const warm = async () => (await edit("before")).status === 200;
  await waitFor(warm, { what: "edits work", timeoutMs: waitTimeoutMs });
  const edits = await gate(db, "UPDATE OF topic ON scheduled_messages");
  edit("never").catch(() => undefined);
  await underWay(edits);
  gateway.signal("SIGSTOP");
  await edits.open();
  await deliveredByAnother(world, people);
}

async function frozenReturn(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  const person = nth(people.senders, 0);
  const others = people.senders.slice(1);
  await sendAway(db, person);
  const missed = await pastMessages(db, nth(people.channels, 0), nth(others, 0), {
    count: 20,
    daysAgo: 1,
    holders: others,
  });
  const first = await world.gateway({ DATABASE_URL: impatient(db.url) });
  const second = await world.gateway();
  const copies = await gate(db, "INSERT ON user_messages");
  const read = (at: { readonly url: string }) =>
    clientOf(at.url, person).get("/api/v1/messages", {
      anchor: "newest",
      num_before: 100,
      num_after: 0,
    });
  let isFrozen = false;
  // The first request of a process may take longer than the limit set here, and is refused then.
  const reading = async () => {
    while (!isFrozen) await read(first);
  };
  reading().catch(() => undefined);
  await underWay(copies);
  isFrozen = true;
  first.signal("SIGSTOP");
  await copies.open();
  const { status, body } = await read(second);
  expect(status).to.equal(200);
  const { messages } = body as unknown as { messages: ReadonlyArray<{ id: number }> };
  expect(messages.map(({ id }) => id)).to.include.members([...missed]);
}

async function swallowedConnection(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  await schedule(db, people, { count: messages, dueIn: 0, seconds: 1 });
  const proxy = await startFaultProxy(db.url);
  const far = await connectDatabase(proxy.url, { max: 1, name: "far" });
  try {
    let healed: () => void = () => undefined;
    const swallowed = far.transaction(async (tx) => {
      await takeLocks(tx, people.realmId);
      await tx.rows("SET LOCAL idle_in_transaction_session_timeout = '1s'");
      proxy.freeze();
      await new Promise<void>((resolve) => (healed = resolve));
    });
    swallowed.catch(() => undefined);
    await waitFor(() => isDelivering(db, people.realmId), { what: "the locks are held" });
    await deliveredByAnother(world, people);
    await proxy.refuse();
    healed();
    expect(await swallowed.catch((error: Error) => error)).to.be.an("error");
  } finally {
    await far.close();
    await proxy.close();
  }
}

async function lookedAtAgain(backend: QueueBackend): Promise<void> {
  await inWorld(backend, async ({ db, queues }) => {
    const people = await crowd(db);
    await schedule(db, people, { count: messages, dueIn: 0, seconds: 1 });
    const worker = await startWorker(db, queues);
    try {
      await db.transaction(async (tx) => {
        await tx.rows("SELECT pg_advisory_xact_lock($1, $2)", [lockClass.deliver, people.realmId]);
        await repeatDeliveryJob(queues, people, 50);
        await waitFor(() => worker.runner.counters().completed >= 50, {
          what: "all have run",
          timeoutMs: promiseMs,
        });
      });
      expect(await pending(db, people.realmId)).to.equal(messages);
      await allSent(db, people.realmId, promiseMs);
      await expectSentOnce(db, people.realmId, messages);
    } finally {
      await worker.close();
    }
  });
}

async function underWay(gated: Gate): Promise<void> {
  await waitFor(async () => (await gated.waiting()) > 0, {
    what: "it is under way",
    timeoutMs: waitTimeoutMs,
  });
}

/** Checks that another worker delivers, without relay and sweep: only its delivery job triggers it. */
async function deliveredByAnother({ db, queues }: World, people: Crowd): Promise<void> {
  const worker: TestWorker = await startWorker(db, queues);
  try {
    await repeatDeliveryJob(queues, people, 1);
    await allSent(db, people.realmId, promiseMs);
    await expectSentOnce(db, people.realmId, messages);
  } finally {
    await worker.close();
  }
}

/** Adds delivery jobs that each have their own id. */
async function repeatDeliveryJob(
  queues: World["queues"],
  people: Crowd,
  times: number,
): Promise<void> {
  const second = Math.floor(Date.now() / 1_000) - 60;
  await queues.publish(
    Array.from({ length: times }, (_, tick) => ({
      job: deliverDue,
      payload: { realmId: people.realmId, second, tick },
    })),
  );
}

/** Takes every lock that could block an organization. */
async function takeLocks(tx: Tx, realmId: number): Promise<void> {
  await tx.rows("SELECT pg_advisory_xact_lock(class, $2) FROM unnest($1::int[]) AS class", [
    Object.values(lockClass),
    realmId,
  ]);
  await tx.rows("SELECT FROM event_head WHERE realm_id = $1 FOR UPDATE", [realmId]);
  await tx.rows("SELECT FROM scheduled_messages WHERE realm_id = $1 FOR UPDATE", [realmId]);
  await tx.rows("SELECT FROM users WHERE realm_id = $1 FOR UPDATE", [realmId]);
}

async function isDelivering(db: Database, realmId: number): Promise<boolean> {
  const deliverers = await db.rows(
    `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database AND d.datname = current_database()
     WHERE locktype = 'advisory' AND classid = $1 AND objid = $2 AND granted`,
    [lockClass.deliver, realmId],
  );
  return deliverers.length > 0;
}
