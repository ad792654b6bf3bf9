import { connectDatabase, RequestDeadline, serverRoles } from "@carillon/db";
import {
  clientOf,
  queueBackends,
  redisUrl,
  startFaultProxy,
  waitFor,
  type FaultProxy,
  type QueueBackend,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";
import { crowd } from "../faults/support/load.ts";
import { followQueue, registerReader } from "../faults/support/queue-reader.ts";
import { openWorld, type World } from "../faults/support/world.ts";
import { type InstalledServer, installedPrograms } from "./support/installed-postgres.ts";
import { startProxy, type Proxy } from "./support/proxy.ts";
import {
  prepareDatabase,
  startReplicatedPostgres,
  type ReplicatedPostgres,
} from "./support/replicated-postgres.ts";
import { startTraffic } from "./support/traffic.ts";

/** Milliseconds for which requests and deliveries may stop after the promotion of the standby. */
const pauseMs = 15_000;

const programs = installedPrograms();
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: Error) => error.message,
  );

describe("PostgreSQL with a standby", function () {
  this.timeout(400_000);
  if (!programs) {
    it("needs an installed PostgreSQL with pg_basebackup");
    return;
  }

  for (const backend of queueBackends) {
    if (backend === "redis" && !redisUrl()) {
      it("on redis: needs CARILLON_TEST_REDIS_URL");
      continue;
    }
    it(`fails over under load within 15 s, and no acknowledged message is lost or sent twice, on ${backend}`, async () => {
      const servers = await startReplicatedPostgres(programs);
      let opened: { world: World; proxy: Proxy } | undefined;
      try {
        opened = await openFailoverWorld(servers, backend);
        await failOver(servers, opened.world, opened.proxy);
      } finally {
        await opened?.proxy.close();
        await opened?.world.close();
        await servers.close();
      }
    });
  }

  it("leaves the outcome of a COMMIT unknown when it stops waiting for a synchronous standby", async () => {
    const servers = await startReplicatedPostgres(programs);
    const url = await prepareDatabase(servers);
    const db = await connectDatabase(url, { max: 2, name: "test" });
    try {
      servers.standby.signal("SIGSTOP");
      const deadline = new RequestDeadline();
      deadline.limit(1_000, () => new Error("the time is over"));
      const write = db
        .within(deadline)
        .transaction((tx) => tx.rows("CREATE TABLE unreplicated ()"));
      expect([await failure(write), deadline.uncertain]).to.deep.equal(["the time is over", true]);
    } finally {
      servers.standby.signal("SIGCONT");
      await db.close();
      await servers.close();
    }
  });

  it("loses messages that an asynchronous standby lacks, and ends the event queues that had them", async () => {
    let line: FaultProxy | undefined;
    const connect = async (primary: InstalledServer) => {
      line = await startFaultProxy(primary.url);
      return line.port;
    };
    const servers = await startReplicatedPostgres(programs, { synchronous: false, connect });
    const world = await openWorld("postgres", { databaseUrl: await prepareDatabase(servers) });
    try {
      const { url } = await world.gateway();
      const { senders, channels } = await crowd(world.db);
      const [sender, reader] = senders as [TestAccount, TestAccount];
      const send = async (content: string) => {
        const params = { type: "channel", to: channels[0]?.id, topic: "t", content };
        const answer = await clientOf(url, sender).post("/api/v1/messages", params);
        return answer.status === 200;
      };
      const followed = followQueue(reader, await registerReader(url, reader), () => url);
      expect(await send("kept")).to.equal(true);
      await waitFor(() => received(servers), { what: "the standby has the message" });
      line?.freeze();
      for (let n = 0; n < 5; n++) expect(await send(`lost ${n}`)).to.equal(true);
      await followed.waitForMessages(6);
      await servers.primary.kill();
      await line?.close();
      await servers.standby.promote();
      await waitFor(() => send("new").catch(() => false), { what: "the gateway goes on" });
      const rows = await world.db.rows<{ content: string }>(
        "SELECT content FROM messages WHERE topic = 't' ORDER BY id",
      );
      expect(rows.map(({ content }) => content)).to.deep.equal(["kept", "new"]);
      // The client has to register anew, and then reads the messages that exist.
      await waitFor(() => followed.failures.includes(400), { what: "the queue has ended" });
      await followed.stop();
    } finally {
      await world.close();
      await line?.close();
      await servers.close();
    }
  });
});

/** Returns whether the standby has received everything that the primary has written. */
async function received(servers: ReplicatedPostgres): Promise<boolean> {
  const roles = await serverRoles(servers.url("carillon"));
  return roles[0]?.position === roles[1]?.position;
}

/** Kills the primary under load, promotes the standby, and lets the old primary come back. */
async function failOver(servers: ReplicatedPostgres, { db }: World, proxy: Proxy): Promise<void> {
  const { primary, standby } = servers;
  const people = await startTraffic(db, proxy.url);
  await people.flows();
  await primary.kill();
  const killed = performance.now();
  await standby.promote();
  const promoted = performance.now();
  await people.flows(0);
  const back = performance.now();
  await people.flows();

  // The old primary accepts writes again. Processes stay on the promoted server, and no new process starts.
  await primary.start();
  await people.flows();
  const sessions = await primary.query<{ name: string }>(
    `SELECT application_name AS name FROM pg_stat_activity WHERE datname = 'carillon'`,
  );
  expect(sessions).to.deep.equal([]);
  expect(await failure(connectDatabase(servers.url("carillon"), { max: 1, name: "new" }))).to.equal(
    `DATABASE_URL: 2 of its servers accept writes, 127.0.0.1:${primary.port} (timeline 1) and ` +
      `127.0.0.1:${standby.port} (timeline 2): stop all but the one that was promoted last, which has the ` +
      "highest timeline, and make them standbys of it",
  );

  const failures = await people.end();
  console.log(
    `      promoted ${Math.round(promoted - killed)} ms after the kill; everything works ` +
      `${Math.round(back - promoted)} ms later; refused: ${[...new Set(failures)].join(", ")}`,
  );
  expect(back - promoted).to.be.below(pauseMs);
}

async function openFailoverWorld(
  servers: ReplicatedPostgres,
  backend: QueueBackend,
): Promise<{ world: World; proxy: Proxy }> {
  const world = await openWorld(backend, { databaseUrl: await prepareDatabase(servers) });
  const proxy = await startProxy();
  for (let n = 0; n < 2; n++) proxy.add((await world.gateway()).url);
  for (let n = 0; n < 2; n++) await world.worker();
  return { world, proxy };
}
