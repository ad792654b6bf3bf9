import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { metricsOf } from "@carillon/kit";
import {
  callsOf,
  certificate,
  channel,
  createTestQueues,
  expositionFaults,
  installation,
  metricNames,
  organization,
  reservePort,
  saidBy,
  send,
  startEndpoint,
  startGateway,
  type Endpoint,
  type TestAccount,
  type TestProcess,
  type TestQueues,
  toChannel,
  useDatabase,
  useProcesses,
  waitFor,
  webhookBot,
} from "@carillon/testkit";
import { expect } from "chai";

describe("a worker process", () => {
  const db = useDatabase();
  const processes = useProcesses();

  let queues: TestQueues;
  let folder: string;
  /** Started by the first test, after it has written rows. */
  let worker: TestProcess | undefined;
  before("make queues and a certificate file", async () => {
    queues = await createTestQueues("postgres", db.url);
    folder = await mkdtemp(join(tmpdir(), "carillon-worker-"));
    await writeFile(join(folder, "authority.pem"), certificate.cert);
  });
  after(async () => {
    await worker?.kill();
    await queues?.drop();
    await rm(folder, { recursive: true });
  });

  it("runs its recurring work: deletes old events and finished intents, promotes full members, and sends heartbeats", async () => {
    const { realm, member, groups } = await organization(db, {
      row: { waitingPeriodThreshold: 2 },
    });
    await db.rows("UPDATE users SET date_joined = now() - interval '2 days' WHERE id = $1", [
      member.id,
    ]);
    await db.rows(
      `INSERT INTO event_queue (queue_id, realm_id, user_id, base_seq, options, idle_timeout, last_seen)
       VALUES (gen_random_uuid(), $1, $2, 0, '{}', 600, now() - interval '1 day')`,
      [realm.id, member.id],
    );
    await db.rows(
      `INSERT INTO job_intent (job, unique_key, payload, state, finished_at)
       VALUES ('x', 'x', '{}', 'done', now() - interval '2 days')`,
    );
    const port = await reservePort();
    worker = processes.start("worker", {
      ...installation(db.url),
      METRICS_PORT: String(port),
      NODE_EXTRA_CA_CERTS: join(folder, "authority.pem"),
      OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8",
      HTTPS_PROXY: "http://name:password@127.0.0.1:1",
    });
    await worker.waitForLine("worker started");
    const deadQueues = () => db.rows("SELECT FROM event_queue WHERE user_id = $1", [member.id]);
    await waitFor(async () => (await deadQueues()).length === 0, {
      what: "the queue is cleared",
    });
    const full = () =>
      db.rows("SELECT FROM user_group_member WHERE group_id = $1 AND user_id = $2", [
        groups["role:fullmembers"],
        member.id,
      ]);
    await waitFor(async () => (await full()).length === 1, { what: "the member is a full one" });
    const finished = () => db.rows("SELECT FROM job_intent");
    await waitFor(async () => (await finished()).length === 0, { what: "the work is cleared" });
    const seen = () => db.rows("SELECT role FROM process_heartbeats");
    await waitFor(async () => (await seen()).length === 1, { what: "the worker is seen" });
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
    const text = await metrics.text();
    expect(expositionFaults(text)).to.deep.equal([]);
    expect(metricNames(text)).to.include.members(metricsOf("worker"));
  });

  it("calls endpoints with a certificate of an authority in NODE_EXTRA_CA_CERTS, but not for another host", async () => {
    const { realm, member, owner } = await organization(db);
    const room = await channel(db, realm, { subscribers: [member] });
    const endpoints = await Promise.all(
      ["127.0.0.1", "127.0.0.2"].map((host) => startEndpoint({ tls: true, host })),
    );
    const gateway = await startGateway(db);
    try {
      const as = (account: TestAccount) => gateway.as(account);
      const call = async (endpoint: Endpoint) => {
        endpoint.answer(() => ({ content: "over TLS" }));
        const bot = await webhookBot({ db, as }, owner, endpoint.url);
        await send(as(member), toChannel(room.id, { content: `@**${bot.fullName}** hello` }));
        return bot;
      };
      const [right, wrong] = endpoints as [Endpoint, Endpoint];
      const answering = await call(right);
      await waitFor(async () => (await saidBy(db, answering)).length > 0, { what: "an answer" });
      const refused = await call(wrong);
      const failed = await waitFor(
        async () => (await callsOf(db, refused)).find(({ attempts }) => attempts > 0),
        { what: "a failed attempt" },
      );
      expect(failed.reason).to.include("ERR_TLS_CERT_ALTNAME_INVALID");
      expect(wrong.calls).to.deep.equal([]);
    } finally {
      await gateway.close();
      await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    }
  });

  it("warns that it does not read variables for proxies, without logging their values", () => {
    const line = worker?.lines.find(({ msg }) => msg.startsWith("variables for proxies"));
    expect(line).to.deep.include({ variables: ["HTTPS_PROXY"] });
    expect(worker?.output()).not.to.include("password@");
  });

  it("removes its heartbeat when it stops", async () => {
    await worker?.stop();
    expect(await db.rows("SELECT FROM process_heartbeats")).to.deep.equal([]);
  });
});
