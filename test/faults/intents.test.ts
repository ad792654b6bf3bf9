import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buildDashboard } from "@carillon/dashboard";
import { readCounters, startTask } from "@carillon/scheduling";
import { stampIntents } from "@carillon/outbox";
import type { Database } from "@carillon/db";
import { backoff, GiveUp, longestSilence, sendNotice, type JobDefinition } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import {
  keepingMailer,
  startWorker,
  testFiles,
  testOutgoing,
  testSite,
  waitFor,
  type TestWorker,
} from "@carillon/testkit";
import {
  loadProcessors,
  relayTask,
  sweepOnce,
  type AnyProcessor,
  type WorkerServices,
} from "@carillon/worker";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { crowd, type Crowd } from "./support/load.ts";
import { noticeRow, subscribeSomebody, subscribeHere, noticesSent } from "./support/notices.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

onBothBackends("A message of the notification bot", scenarioMs, {
  "is sent by the gateway's job alone": (backend) => inWorld(backend, throughGateway),
  "is sent by the relay's job alone when the gateway dies before publishing": (backend) =>
    inWorld(backend, throughRelay),
  "is sent by the sweep's job alone when the queue has lost the job": (backend) =>
    inWorld(backend, throughSweep),
  "is sent when the job starts while the row is locked for stamping": (backend) =>
    inWorld(backend, metTheStamp),
  "is sent after a job that gave up on a locked row": (backend) => inWorld(backend, gaveUp),
  "is a dead letter when its jobs end repeatedly without updating the row": (backend) =>
    inWorld(backend, endedWithoutAWord),
  "is left to its job while that waits for a retry": (backend) => inWorld(backend, retrying),
  "is a dead letter after the last failure, and sent once when it is replayed twice": (backend) =>
    inWorld(backend, deadLetter),
});

async function throughGateway(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  const gateway = await world.gateway();
  await withWorker(world, async () => {
    await subscribeSomebody(gateway.url, people);
    await noticeSent(db, people);
  });
  expect(await noticeRow(db, people)).to.include({ state: "done", attempts: 1 });
}

async function throughRelay(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  expect(await subscribeHere(db, people)).to.include({ queued: false });
  await withWorker(world, async () => {
    const relay = startTask(relayTask, servicesOf(world));
    await noticeSent(db, people);
    await relay.stop();
  });
}

async function throughSweep(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  await subscribePublished(world, people);
  await (await bullJob(world, people))?.remove();
  expect(await sweepOnce(servicesOf(world)), "repairs of a young row").to.equal(0);
  await lastHeardOf(db, people, 11_000);
  expect(await sweepOnce(servicesOf(world)), "repairs").to.equal(1);
  expect((await readCounters(db)).get("sweep_repairs")).to.equal(1);
  expect(await sweepOnce(servicesOf(world)), "repairs after that").to.equal(0);
  await withWorker(world, () => noticeSent(db, people));
}

async function metTheStamp(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  await subscribePublished(world, people);
  await withWorker(world, async (start) => {
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM job_intent FOR NO KEY UPDATE");
      const { runner } = await start();
      const met = async () => {
        const { completed, failed } = runner.counters();
        return completed + failed > 0 || (await somebodyWaits(db));
      };
      await waitFor(met, { what: "the job has met the row", timeoutMs: waitTimeoutMs });
    });
    await noticeSent(db, people);
  });
}

async function gaveUp(world: World): Promise<void> {
  const { db, queues } = world;
  const people = await crowd(db);
  const { intentId, version } = await subscribeHere(db, people);
  const onlyOnce = {
    ...sendNotice,
    retry: backoff({ attempts: 1, first: "10ms", cap: "10ms", jitter: 0 }),
  };
  await queues.publish([{ job: onlyOnce, payload: { intentId, version } }]);
  await withWorker(world, async (start) => {
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM job_intent FOR NO KEY UPDATE");
      const { runner } = await start();
      await waitFor(() => runner.counters().failed > 0, {
        what: "the job has given up",
        timeoutMs: waitTimeoutMs,
      });
    });
    await lastHeardOf(db, people, longestSilence(sendNotice) - 60_000);
    expect(await sweepOnce(servicesOf(world)), "repairs while it may come again").to.equal(0);
    await lastHeardOf(db, people, longestSilence(sendNotice) + 1_000);
    expect(await sweepOnce(servicesOf(world)), "repairs").to.equal(1);
    await noticeSent(db, people);
  });
}

/** Fails as if the worker crashed during each attempt, until the queue fails the job for good. */
async function endedWithoutAWord(world: World): Promise<void> {
  const { db, queues } = world;
  const people = await crowd(db);
  await subscribePublished(world, people);
  const { attempts } = sendNotice.retry;
  await db.rows("UPDATE job_intent SET attempts = $1", [attempts - 2]);
  let runs = 0;
  const deadly: AnyProcessor = {
    definition: sendNotice,
    process: () => {
      runs++;
      throw new GiveUp("it took the worker down");
    },
  };
  const worker = await startWorker(db, queues, { processors: [deadly] });
  try {
    for (const times of [1, 2]) {
      await waitFor(() => worker.runner.counters().failed === times, {
        what: "its job has ended",
        timeoutMs: waitTimeoutMs,
      });
      const before = await noticeRow(db, people);
      expect(before).to.include({ state: "pending", version: times });
      await lastHeardOf(db, people, longestSilence(sendNotice) + 1_000);
      expect(await sweepOnce(servicesOf(world)), "repairs").to.equal(1);
      const row = await noticeRow(db, people);
      expect(row).to.include({ attempts: attempts - 2 + times });
      expect(row.error).to.contain("it took the worker down");
    }
    expect(await noticeRow(db, people)).to.include({ state: "dead", version: 2 });
    await lastHeardOf(db, people, longestSilence(sendNotice) + 1_000);
    expect(await sweepOnce(servicesOf(world)), "repairs of a dead letter").to.equal(0);
    expect(runs).to.equal(2);
  } finally {
    await worker.close();
  }
}

/** Pauses of many minutes between attempts do not count as a lost job. */
async function retrying(world: World): Promise<void> {
  const { db, queues } = world;
  const people = await crowd(db);
  await poisonNotices(db, people);
  await subscribePublished(world, people);
  const worker = await startWorker(db, queues);
  await waitFor(async () => (await noticeRow(db, people)).attempts > 0, {
    what: "it has failed once",
    timeoutMs: waitTimeoutMs,
  });
  await worker.close();
  await (await bullJob(world, people))?.changeDelay(600_000);
  await lastHeardOf(db, people, 24 * 3_600_000);
  expect(await sweepOnce(servicesOf(world)), "repairs").to.equal(0);
  expect((await readCounters(db)).get("sweep_repairs")).to.equal(undefined);
  const { delayed, waiting, active } = await queues.queue("maintenance").counts();
  expect({ delayed, waiting, active }).to.deep.equal({ delayed: 1, waiting: 0, active: 0 });
}

async function deadLetter(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  const mend = await poisonNotices(db, people);
  await subscribePublished(world, people);
  const dashboard = await startDashboard(world);
  try {
    await withWorker(world, async (start) => {
      await start();
      await waitFor(async () => (await noticeRow(db, people)).state === "dead", {
        what: "it has failed for the last time",
        timeoutMs: waitTimeoutMs,
      });
      const row = await noticeRow(db, people);
      expect(row.attempts).to.equal(sendNotice.retry.attempts);
      const page = await (await dashboard.ask("/dead-letters")).text();
      expect(page).to.contain("no notices today").and.contain("send-notice");
      await mend();
      for (const replayed of [1, 0]) {
        const body = new URLSearchParams({ id: String(row.intentId) });
        const answer = await dashboard.ask("/dead-letters/replay", { method: "POST", body });
        expect(await answer.json()).to.deep.include({ replayed });
      }
      const relay = startTask(relayTask, servicesOf(world));
      await noticeSent(db, people);
      await relay.stop();
      expect(await noticeRow(db, people)).to.include({ state: "done", version: 2, attempts: 1 });
    });
  } finally {
    await dashboard.close();
  }
}

/** Runs jobs without relay and sweep, with short pauses between attempts. */
async function withWorker(
  { db, queues }: World,
  work: (start: () => Promise<TestWorker>) => Promise<void>,
): Promise<void> {
  let worker: Promise<TestWorker> | undefined;
  const start = () => (worker ??= startHasty());
  const startHasty = async () => {
    const hasty: JobDefinition = {
      ...(sendNotice as JobDefinition),
      retry: { ...sendNotice.retry, firstMs: 10, capMs: 10 },
    };
    const processors = (await loadProcessors())
      .filter(({ definition }) => definition.name === hasty.name)
      .map((processor) => ({ ...processor, definition: hasty }));
    return startWorker(db, queues, { processors });
  };
  try {
    if (work.length === 0) await start();
    await work(start);
  } finally {
    await (await worker)?.close();
  }
}

function servicesOf({ db, queues }: World): WorkerServices {
  return {
    db,
    queues,
    site: testSite(),
    mailer: keepingMailer(),
    files: testFiles(),
    outgoing: testOutgoing(),
    log: silentLogger,
  };
}

/** Leaves job and row as a gateway does, which would give up if it was slow: the job is queued, the row is stamped. */
async function subscribePublished({ db, queues }: World, people: Crowd): Promise<void> {
  const { intentId, version } = await subscribeHere(db, people);
  await queues.publish([{ job: sendNotice, payload: { intentId, version } }]);
  await stampIntents(db, [{ intentId, version }]);
}

/** Sets when the job was last enqueued or failed. */
async function lastHeardOf(db: Database, people: Crowd, agoMs: number): Promise<void> {
  await db.rows(
    `UPDATE job_intent SET enqueued_at = now() - make_interval(secs => $2 / 1000.0), run_at = now() - interval '2 days'
     WHERE realm_id = $1`,
    [people.realmId, agoMs],
  );
}

async function noticeSent(db: Database, people: Crowd): Promise<void> {
  await waitFor(async () => (await noticesSent(db, people)) > 0, {
    what: "it is told",
    timeoutMs: waitTimeoutMs,
  });
  await waitFor(async () => (await noticeRow(db, people)).state === "done", { what: "it is done" });
  expect(await noticesSent(db, people)).to.equal(1);
}

async function bullJob({ db, queues }: World, people: Crowd) {
  const { intentId, version } = await noticeRow(db, people);
  const queue = queues.bullQueues().find(({ name }) => name === sendNotice.queue);
  return queue?.getJob(sendNotice.key({ intentId, version }));
}

async function somebodyWaits(db: Database): Promise<boolean> {
  const rows = await db.rows(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%job_intent%'`,
  );
  return rows.length > 0;
}

/**
 * Makes every message of the notification bot fail.
 * @returns a function that makes them succeed again
 */
async function poisonNotices(db: Database, people: Crowd): Promise<() => Promise<void>> {
  await db.rows(
    `CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN IF NEW.sender_id = ${people.org.notificationBot.id} THEN RAISE EXCEPTION 'no notices today'; END IF;
     RETURN NEW; END $$`,
  );
  await db.rows(
    "CREATE TRIGGER poison BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION poison()",
  );
  return async () => void (await db.rows("DROP TRIGGER poison ON messages"));
}

interface Dashboard {
  /** Sends a request as the operator; a POST asks for JSON. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

async function startDashboard({ db, queues }: World): Promise<Dashboard> {
  const login = { role: "operator", user: "olga", password: "open sesame" } as const;
  const app = buildDashboard({ db, queues, logins: [login], log: silentLogger });
  const server = createServer(app.callback()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const authorization = `Basic ${btoa(`${login.user}:${login.password}`)}`;
  return {
    ask: (path, init = {}) => {
      const accept = init.method === "POST" ? "application/json" : "text/html";
      return fetch(origin + path, { ...init, headers: { authorization, accept } });
    },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
