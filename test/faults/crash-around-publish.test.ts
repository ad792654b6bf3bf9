import type { Database } from "@carillon/db";
import { deliveryJob, deliverDue, type PendingDelivery } from "@carillon/jobs";
import {
  clientOf,
  fallDue,
  startFaultProxy,
  startGateway,
  waitFor,
  type GatewayClient,
} from "@carillon/testkit";
import { expect } from "chai";
import pg from "pg";
import { onBothBackends } from "./support/both-backends.ts";
import { crowd, schedule, type Crowd } from "./support/load.ts";
import { gate } from "./support/blockers.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { sweptWorker } from "./support/swept-worker.ts";
import { allSent, expectSentOnce, repairsCounted } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

onBothBackends("A message whose delivery job was not added", scenarioMs, {
  "is sent by the relay when all delivery jobs of the gateway are lost": (backend) =>
    inWorld(backend, jobsNeverAdded),
  "is sent by the relay when the gateway is killed between commit and publishing": (backend) =>
    inWorld(backend, killedBeforePublishing),
  "is sent once when the gateway is killed between publishing and the stamp": (backend) =>
    inWorld(backend, killedBeforeStamp),
  "is sent by the sweep when it is stamped and its delivery job is gone": (backend) =>
    inWorld(backend, stampedAndGone),
});

async function jobsNeverAdded(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  const count = 20;
  // This gateway has no queues, so it collects the delivery jobs instead of adding them.
  const gateway = await startGateway(db);
  try {
    for (let i = 0; i < count; i++) await post(gateway.as(people.org.owner), people);
    expect(gateway.deliveries).to.have.length(count);
  } finally {
    await gateway.close();
  }
  await world.worker();
  await expectRelayed(world, people, count);
}

async function killedBeforePublishing(world: World): Promise<void> {
  const { db, queues } = world;
  const people = await crowd(db);
  const blocker = await queuesOutOfReach(world);
  try {
    const gateway = await world.gateway({ REDIS_URL: blocker.redisUrl });
    await blocker.begin();
    const answer = post(clientOf(gateway.url, people.org.owner), people);
    answer.catch(() => undefined);
    await waitFor(async () => (await theRow(db, people)) !== undefined, {
      what: "it is committed",
    });
    await gateway.kill();
  } finally {
    await blocker.end();
  }
  expect((await theRow(db, people))?.enqueued).to.equal(false);
  const { delayed, waiting } = await queues.queue("delivery").counts();
  expect({ delayed, waiting }).to.deep.equal({ delayed: 0, waiting: 0 });
  await world.worker();
  await expectRelayed(world, people, 1);
}

async function killedBeforeStamp(world: World): Promise<void> {
  const { db, queues } = world;
  const people = await crowd(db);
  const stamps = await gate(db, "UPDATE OF alarmed_at ON scheduled_messages");
  let sent = 0;
  try {
    const gateway = await world.gateway();
    const client = clientOf(gateway.url, people.org.owner);
    // If adding takes too long, the gateway leaves the job to the relay without a stamp, so a busy machine needs more
    // messages.
    const stamping = async () => {
      if ((await stamps.waiting()) > 0) return true;
      await post(client, people);
      sent++;
      return false;
    };
    await waitFor(stamping, { what: "a stamp is under way", everyMs: 1_000 });
    await gateway.kill();
  } finally {
    await stamps.drop();
  }
  const rows = await db.rows("SELECT FROM scheduled_messages WHERE alarmed_at IS NULL");
  expect(rows, "messages without a stamp").to.have.length(sent);
  const { delayed } = await queues.queue("delivery").counts();
  expect(delayed, "delivery jobs in the queue").to.be.within(1, sent);
  await world.worker();
  await expectRelayed(world, people, sent);
}

async function stampedAndGone(world: World): Promise<void> {
  const { db, queues } = world;
  const people = await crowd(db);
  await sweptWorker(world, people);
  const deliveries = await schedule(db, people, { count: 5, dueIn: -15, seconds: 1 });
  expect(await queues.queue("delivery").job(jobIdOf(deliveries))).to.equal(undefined);
  await allSent(db, people.realmId, waitTimeoutMs);
  await expectSentOnce(db, people.realmId, 1 + 5);
  await repairsCounted(db);
}

/** Waits until all delivery jobs have been added, before the messages are due. */
async function expectRelayed({ db, queues }: World, people: Crowd, count: number): Promise<void> {
  const unstamped = () =>
    db.rows("SELECT FROM scheduled_messages WHERE realm_id = $1 AND alarmed_at IS NULL", [
      people.realmId,
    ]);
  await waitFor(async () => (await unstamped()).length === 0, {
    what: "all delivery jobs are added",
    timeoutMs: waitTimeoutMs,
  });
  await fallDue(db, queues, people.realmId);
  await allSent(db, people.realmId, waitTimeoutMs);
  await expectSentOnce(db, people.realmId, count);
}

function jobIdOf([first]: readonly PendingDelivery[]): string {
  if (!first) throw new Error("no delivery job");
  return deliverDue.key(deliveryJob(first, 0).payload);
}

async function post(client: GatewayClient, people: Crowd): Promise<void> {
  const answer = await client.post("/api/v1/scheduled_messages", {
    type: "channel",
    to: people.channels[0]?.id,
    topic: "crash",
    content: "Still sent",
    scheduled_delivery_timestamp: Math.floor(Date.now() / 1_000) + 3_600,
  });
  expect(answer.status, answer.text).to.equal(200);
}

async function theRow(db: Database, people: Crowd): Promise<{ enqueued: boolean } | undefined> {
  const [row] = await db.rows<{ enqueued: boolean }>(
    "SELECT alarmed_at IS NOT NULL AS enqueued FROM scheduled_messages WHERE realm_id = $1",
    [people.realmId],
  );
  return row;
}

/** Makes every attempt to add a job wait, while everything else works. */
async function queuesOutOfReach({ db, variables }: World): Promise<{
  /** `REDIS_URL` for the gateway; undefined on PostgreSQL. */
  redisUrl: string | undefined;
  begin(): Promise<void>;
  end(): Promise<void>;
}> {
  if (variables["REDIS_URL"]) {
    const proxy = await startFaultProxy(variables["REDIS_URL"]);
    return { redisUrl: proxy.url, begin: async () => proxy.freeze(), end: () => proxy.close() };
  }
  const client = new pg.Client({ connectionString: db.url });
  await client.connect();
  return {
    redisUrl: undefined,
    async begin() {
      await client.query("BEGIN");
      await client.query("LOCK TABLE bullmq.job IN ACCESS EXCLUSIVE MODE");
    },
    async end() {
      // Terminate the waiting backends: PostgreSQL would run their statements although the client is gone.
      await client.query(
        `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
         WHERE usename = current_user AND backend_type = 'client backend' AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`,
      );
      await client.end();
    },
  };
}
