import {
  clientOf,
  reservePort,
  waitFor,
  type ProcessExit,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { crowd, schedule, addDeliveryJobs, type Crowd } from "./support/load.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { gate, slowMessages, type Gate } from "./support/blockers.ts";
import { gaugeOf } from "./support/queue-reader.ts";
import { allSent, expectSentOnce, pending, verdict } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

const messages = 1_000;
/** More than a worker can still send in the 6 s that its jobs have after SIGTERM. */
const tooMany = 4_000;
const stopped = { code: 0, signal: null };

onBothBackends("SIGTERM", scenarioMs, {
  "lets a worker finish its batch and leave the rest to the next worker": (backend) =>
    inWorld(backend, inMidBatch),
  "ends a worker that hangs in a batch, with nothing half done": (backend) =>
    inWorld(backend, hanging),
  "sent twice ends a worker at once in the middle of a batch": (backend) =>
    inWorld(backend, stoppedTwice),
  "lets a gateway answer the requests it has begun": (backend) =>
    inWorld(backend, gatewayUnderRequests),
});

async function inMidBatch(world: World): Promise<void> {
  const fast = await slowMessages(world.db, 7);
  const { people, worker, batch } = await heldUp(world, tooMany);
  worker.signal("SIGTERM");
  await worker.waitForLine("stopping");
  await batch.open();
  expect(await ended(worker)).to.deep.equal(stopped);
  await expectWhole(world, people);
  await fast();
  await deliverRest(world, people, tooMany);
}

async function hanging(world: World): Promise<void> {
  const { people, worker, batch } = await heldUp(world);
  expect(await worker.stop()).to.deep.equal(stopped);
  await batch.drop();
  expect(await pending(world.db, people.realmId)).to.equal(messages);
  await deliverRest(world, people);
}

async function stoppedTwice(world: World): Promise<void> {
  const { people, worker, batch } = await heldUp(world);
  worker.signal("SIGTERM");
  await worker.waitForLine("stopping");
  worker.signal("SIGTERM");
  // An orderly shutdown, which waits for the batch, would exit with 0.
  expect(await ended(worker)).to.deep.equal({ code: 1, signal: null });
  await batch.drop();
  expect(await pending(world.db, people.realmId)).to.equal(messages);
  await deliverRest(world, people);
}

async function gatewayUnderRequests(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  const metrics = await reservePort();
  const gateway = await world.gateway({ METRICS_PORT: String(metrics) });
  const client = clientOf(gateway.url, people.org.owner);
  const inserts = await gate(db, "INSERT ON scheduled_messages");
  // Each request is of another account: one account has only a few connections at a time.
  const begun = people.senders.length;
  const answers = people.senders.map((sender) =>
    clientOf(gateway.url, sender).post("/api/v1/scheduled_messages", {
      type: "channel",
      to: people.channels[0]?.id,
      topic: "ending",
      content: "Answered",
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1_000) + 3_600,
    }),
  );
  // The first request is being written, and the others wait for a shared transaction.
  await waitFor(async () => (await inserts.waiting()) === 1, { what: "the first has begun" });
  const waiting = () => gaugeOf(metrics, "carillon_requests_waiting");
  await waitFor(async () => (await waiting()) === begun - 1, { what: "the others wait" });
  gateway.signal("SIGTERM");
  await gateway.waitForLine("stopping");
  await waitFor(
    () =>
      client.get("/health").then(
        () => false,
        () => true,
      ),
    {
      what: "no new connection is taken",
    },
  );
  await inserts.open();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses).to.deep.equal(statuses.map(() => 200));
  expect(await ended(gateway)).to.deep.equal(stopped);
  expect(await pending(db, people.realmId)).to.equal(begun);
}

/** Waits for the end of the process and returns how it ended. */
async function ended(app: TestProcess): Promise<ProcessExit> {
  await waitFor(() => !app.running(), { what: "it has ended" });
  return app.exit;
}

/** Starts a worker whose first batch waits in the middle of its transaction. */
async function heldUp(
  world: World,
  count = messages,
): Promise<{ people: Crowd; worker: TestProcess; batch: Gate }> {
  const { db, queues } = world;
  const people = await crowd(db);
  const batch = await gate(db, "INSERT ON user_messages");
  const deliveries = await schedule(db, people, { count, dueIn: 4, seconds: 1 });
  await addDeliveryJobs(queues, deliveries);
  const worker = await world.worker();
  await waitFor(async () => (await batch.waiting()) > 0, { what: "a batch is half done" });
  return { people, worker, batch };
}

/** Checks that every message sent so far is complete. */
async function expectWhole({ db }: World, people: Crowd): Promise<void> {
  const { pending: left, sent, ...faults } = await verdict(db, people.realmId);
  expect(left + sent).to.equal(tooMany);
  expect(sent, "what was begun is done").to.be.at.least(1);
  expect(left, "it did not wait until all was sent").to.be.at.least(1);
  expect(Object.values(faults), JSON.stringify(faults)).to.deep.equal(
    Object.values(faults).map(() => 0),
  );
}

async function deliverRest(world: World, people: Crowd, count = messages): Promise<void> {
  await world.worker();
  await allSent(world.db, people.realmId, waitTimeoutMs);
  await expectSentOnce(world.db, people.realmId, count);
}
