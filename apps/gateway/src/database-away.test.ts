import { connectDatabase, type Database } from "@carillon/db";
import { authenticate } from "@carillon/domain";
import {
  channel,
  countWaiting,
  organization,
  scheduledMessage,
  startFaultProxy,
  startGateway,
  testSite,
  useDatabase,
  useGateway,
  waitFor,
  type FaultProxy,
  type Gateway,
  type GatewayOptions,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";
import pg from "pg";

const path = "/api/v1/scheduled_messages";

describe("while the database is away", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let member: TestAccount;
  let room: TestChannel;
  let proxy: FaultProxy;
  let proxied: Database;
  let own: Gateway;
  /** How often the gateway of a test has looked whether its database is back. */
  let looks = 0;

  before(async () => {
    const org = await organization(db);
    ({ member } = org);
    room = await channel(db, org.realm, { subscribers: [member] });
  });

  /** A gateway whose way to the database the test can break. */
  async function behindProxy(app: GatewayOptions["app"] = {}): Promise<void> {
    proxy = await startFaultProxy(db.url);
    proxied = await connectDatabase(proxy.url, { max: 3, name: "proxied", connectMs: 1_500 });
    looks = 0;
    own = await startGateway(proxied, {
      app: {
        health: async () => {
          looks++;
          await proxied.rows("SELECT 1");
        },
        ...app,
      },
    });
  }
  afterEach(async () => {
    await own.close();
    await proxied.close();
    await proxy.close();
  });

  const draft = (content: string) => ({
    type: "channel",
    to: room.id,
    topic: "t",
    content,
    scheduled_delivery_timestamp: Math.floor(Date.now() / 1_000) + 3_600,
  });

  /** @param says what the refusal's text must contain */
  function expectUnavailable({ status, body }: Awaited<ReturnType<typeof post>>, says: string) {
    expect(status).to.equal(503);
    expect(body).to.include({ result: "error", code: "INTERNAL_ERROR" });
    expect(body.msg).to.contain(says);
  }
  const post = (content: string) => own.as(member).post(path, draft(content));

  it("refuses requests with 503, whether it is refused a connection or waits for one in vain", async () => {
    await behindProxy();
    await proxy.refuse();
    expectUnavailable(await post("refused"), "nothing was changed");
    expectUnavailable(await own.as(member).get(path), "nothing was changed");
    await proxy.heal();
    expect((await post("back")).status).to.equal(200);
    const busy = await Promise.all([1, 2, 3].map(() => proxied.pool.connect()));
    expectUnavailable(await post("no connection"), "nothing was changed");
    for (const connection of busy) connection.release();
    expect((await post("free")).status).to.equal(200);
    expect(own.logLines.map(({ msg }) => msg)).to.not.include("a request failed unexpectedly");
  });

  describe("and goes in the middle of a request", () => {
    let obstacle: pg.Client;
    beforeEach(async () => {
      await behindProxy();
      obstacle = new pg.Client(db.url);
      await obstacle.connect();
      await obstacle.query("BEGIN");
    });
    afterEach(() => obstacle.end());
    const oneWaits = () =>
      waitFor(async () => (await countWaiting(db.pool)) === 1, { what: "the request waits" });

    it("refuses it with 503 before its COMMIT was sent", async () => {
      const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
      await obstacle.query("SELECT FROM scheduled_messages WHERE id = $1 FOR UPDATE", [id]);
      const edit = own.as(member).patch(`${path}/${id}`, { content: "edit" });
      await oneWaits();
      await db.rows(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      expectUnavailable(await edit, "nothing was changed");
    });

    it("says that it cannot tell once its COMMIT was sent", async () => {
      await obstacle.query("SELECT FROM event_head FOR UPDATE");
      const sent = post("who knows");
      await oneWaits();
      proxy.drop();
      expectUnavailable(await sent, "cannot tell");
    });
  });

  describe("holds a poll", () => {
    /** Registers over the healthy way, and polls over the broken one. */
    async function poll() {
      const { body } = await gateway.as(member).post("/api/v1/register", { event_types: "[]" });
      const { queue_id, last_event_id } = body as unknown as Record<string, string | number>;
      const answer = own.as(member).get("/api/v1/events", {
        queue_id: String(queue_id),
        last_event_id: Number(last_event_id),
      });
      return { queueId: String(queue_id), answer };
    }
    async function endsWell(queueId: string, answer: ReturnType<typeof post>) {
      await proxy.heal();
      await waitFor(() => own.services.events.counters.polls === 1, { what: "the poll waits" });
      await gateway.as(member).delete("/api/v1/events", { queue_id: queueId });
      const { status, body } = await answer;
      expect(status).to.equal(200);
      expect(body).to.include({ queue_id: queueId });
    }
    const isHeld = () => waitFor(() => looks >= 2, { what: "the poll waits for the database" });

    it("until the database is back, and then as ever", async () => {
      await behindProxy();
      await proxy.refuse();
      const { queueId, answer } = await poll();
      await isHeld();
      await endsWell(queueId, answer);
    });

    it("that had been let in", async () => {
      await behindProxy({
        authenticate: async (credentials, { db: bound }) => {
          const account = await authenticate(bound, testSite(), credentials);
          if (looks === 0) await proxy.refuse();
          return account;
        },
      });
      const { queueId, answer } = await poll();
      await isHeld();
      await endsWell(queueId, answer);
    });

    it("no longer than a request may take", async () => {
      await behindProxy({ deadlineMs: 1_500 });
      await proxy.refuse();
      const { answer } = await poll();
      expect((await answer).status).to.equal(503);
    });

    it("no longer than the process goes on", async () => {
      const closing = new AbortController();
      await behindProxy({ closing: closing.signal });
      await proxy.refuse();
      const { answer } = await poll();
      await isHeld();
      closing.abort();
      expectUnavailable(await answer, "nothing was changed");
    });
  });
});
