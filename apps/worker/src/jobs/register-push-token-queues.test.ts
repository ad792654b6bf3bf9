import { registerPushDevice } from "@carillon/contract";
import { unqueuedIntents, intentPublications } from "@carillon/outbox";
import { deliverDue, registerPushToken, sendNotice, type JobDefinition } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { bouncerClient, type BouncerClient } from "@carillon/push";
import {
  answers,
  channel,
  device,
  drops,
  forEachBackend,
  hangs,
  organization,
  pushToken,
  scheduledMessage,
  startWorker,
  useDatabase,
  useFakeBouncer,
  useGateway,
  useQueues,
  user,
  waitFor,
  type TestOrganization,
  type TestWorker,
} from "@carillon/testkit";
import { expect } from "chai";

import { guardBouncer } from "../bouncer.ts";
import { loadProcessors } from "../processor.ts";

// push.md §3, anchored in docs/decisions/030
forEachBackend("Registrations for push, by way of the queue", (backend) => {
  const db = useDatabase();
  const gateway = useGateway(db, { site: { pushConfigured: true } });
  const queues = useQueues(backend, db);
  const server = useFakeBouncer();
  let org: TestOrganization;
  let client: BouncerClient;
  let workers: TestWorker[];
  before(async () => {
    org = await organization(db);
  });
  beforeEach(async () => {
    client = bouncerClient(server.config, "12.0");
    workers = [];
    await db.rows(
      "UPDATE bouncer_circuit SET failures = 0, pauses = 0, no_calls_until = NULL, in_trial = false",
    );
    await queues.pauseFor("bouncer", 1);
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close(0)));
    await client.close();
  });

  /** Starts another worker, which retries after short pauses. */
  async function work(): Promise<TestWorker> {
    const of = await queues.connect();
    const hasty: JobDefinition = {
      ...(registerPushToken as JobDefinition),
      retry: { ...registerPushToken.retry, firstMs: 10, capMs: 10 },
    };
    const processors = (await loadProcessors()).map((processor) =>
      processor.definition.name === hasty.name ? { ...processor, definition: hasty } : processor,
    );
    const bouncer = guardBouncer(client, { db, queues: of, log: silentLogger });
    const worker = await startWorker(db, of, { processors, services: { bouncer } });
    workers.push(worker);
    return worker;
  }

  /** Starts the registration of devices, each of another account, and adds their jobs to the queue. */
  async function register(count: number): Promise<number[]> {
    const ids: number[] = [];
    for (let i = 0; i < count; i++) {
      const account = await user(db, org.realm);
      const id = await device(db, account, { key: { id: 1 } });
      const params = { device_id: id, ...pushToken(i + 1) };
      await gateway.as(account).succeed(registerPushDevice, { params });
      ids.push(id);
    }
    const jobs = [registerPushToken.name];
    const intents = await unqueuedIntents(db, { jobs, olderThanMs: 0, limit: 1_000 });
    await queues.publish(intentPublications(intents));
    await db.rows("UPDATE job_intent SET enqueued_at = now()");
    return ids;
  }
  const active = (ids: readonly number[]) =>
    db.prisma.clientDevice.count({ where: { id: { in: [...ids] }, NOT: { pushTokenId: null } } });
  const allActive = (ids: readonly number[]) =>
    waitFor(async () => (await active(ids)) === ids.length, { what: "all are registered" });
  const untouched = (ids: readonly number[]) =>
    db.prisma.clientDevice.count({
      where: { id: { in: [...ids] }, pushTokenId: null, pushRegistrationErrorCode: null },
    });

  it("are retried until the bouncer answers", async () => {
    server.behave({ fault: answers({ status: 500 }) });
    const ids = await register(3);
    await work();
    await waitFor(() => server.calls.length >= 12, { what: "several attempts" });
    expect(await untouched(ids)).to.equal(3);
    server.behave({});
    await allActive(ids);
  });

  it("cost no attempt while the bouncer's rate limit is reached, and no worker calls it", async () => {
    server.behave({ fault: answers({ status: 429, headers: { "retry-after": "300" } }) });
    const ids = await register(1);
    await work();
    const queue = queues.queue("bouncer");
    await waitFor(
      async () => (await queue.counts()).waiting === 1 && (await queue.pausedForMs()) > 0,
      {
        what: "the job waits",
      },
    );
    expect(server.calls).to.have.length(1);
    const [row] = await db.rows("SELECT attempts, state FROM job_intent ORDER BY id DESC LIMIT 1");
    expect(row).to.deep.equal({ attempts: 0, state: "pending" });
    server.behave({});
    await queues.pauseFor("bouncer", 1);
    await work();
    await allActive(ids);
    expect(server.calls).to.have.length(2);
  });

  it("share one circuit breaker: after unanswered calls of one worker, no worker calls", async () => {
    server.behave({ fault: drops });
    const ids = await register(8);
    await work();
    await waitFor(
      async () => {
        const [row] = await db.rows<{ open: boolean }>(
          "SELECT no_calls_until IS NOT NULL AS open FROM bouncer_circuit",
        );
        return row?.open && (await queues.queue("bouncer").counts()).active === 0;
      },
      { what: "the circuit is open" },
    );
    // Ends the queue's pause while the circuit is still open, so that the next worker takes jobs and reads the row.
    await db.rows("UPDATE bouncer_circuit SET no_calls_until = now() + interval '1 h'");
    await queues.pauseFor("bouncer", 1);
    const calls = server.calls.length;
    const other = await work();
    await waitFor(() => (other.runner.begun().get("bouncer") ?? 0) > 0, {
      what: "the other worker has taken a job",
    });
    // Each of these jobs pauses the queue before it is handed back.
    await waitFor(
      async () => {
        const [pausedForMs, { active }] = await Promise.all([
          queues.queue("bouncer").pausedForMs(),
          queues.queue("bouncer").counts(),
        ]);
        return pausedForMs > 60_000 && active === 0;
      },
      { what: "the queue is paused again" },
    );
    expect(server.calls).to.have.length(calls);
    expect(await untouched(ids)).to.equal(8);
    server.behave({});
    await db.rows("UPDATE bouncer_circuit SET no_calls_until = now()");
    await queues.pauseFor("bouncer", 1);
    await work();
    await allActive(ids);
  });

  it("that hang delay no message, no notice and no shutdown", async () => {
    server.behave({ fault: hangs });
    await register(25);
    const worker = await work();
    await waitFor(() => server.calls.length >= 20, { what: "every place in the queue is taken" });
    const room = await channel(db, org.realm, { subscribers: [org.owner, org.member] });
    const message = await scheduledMessage(db, org.owner, room, { dueIn: -1 });
    const second = Math.floor(message.deliverAt);
    await queues.publish([{ job: deliverDue, payload: { realmId: org.realm.id, second } }]);
    const sent = () => db.prisma.message.count({ where: { scheduledMessageId: message.id } });
    await waitFor(async () => (await sent()) === 1, { what: "the message is sent" });
    await db.prisma.jobIntent.create({
      data: {
        realmId: org.realm.id,
        job: sendNotice.name,
        uniqueKey: `test-${message.id}`,
        payload: { kind: "bot-unheard", botId: org.bot?.id ?? org.owner.id, channelId: room.id },
      },
    });
    const jobs = [sendNotice.name];
    const intents = await unqueuedIntents(db, { jobs, olderThanMs: 0, limit: 10 });
    await queues.publish(intentPublications(intents));
    const done = () =>
      db.prisma.jobIntent.count({ where: { uniqueKey: `test-${message.id}`, state: "done" } });
    await waitFor(async () => (await done()) === 1, { what: "the notice is sent" });
    await worker.close(0);
    const counts = await queues.queue("bouncer").counts();
    expect(counts).to.include({ active: 0, failed: 0, delayed: 0, waiting: 25 });
  });

  it("leave no data of the device in the jobs", async () => {
    await register(1);
    const { token_id, bouncer_public_key, encrypted_push_registration } = pushToken(1);
    const [queue] = queues.bullQueues().filter(({ name }) => name === "bouncer");
    const found = await queue?.getJobs(["waiting", "active", "delayed", "failed"]);
    const text = JSON.stringify(found?.map((job) => job.asJSON()));
    expect(text).to.include("register-push-token");
    for (const secret of [token_id, bouncer_public_key, encrypted_push_registration])
      expect(text).not.to.include(secret);
  });
});
