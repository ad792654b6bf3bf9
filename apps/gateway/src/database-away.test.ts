import { authenticate } from "@carillon/domain";
import {
  askWithKey,
  channel,
  channelMessage,
  type Gateway,
  type GatewayOptions,
  type KeyedAsk,
  organization,
  type ProxiedGateway,
  replayed,
  scheduledMessage,
  scheduledMessagesPath,
  startBehindProxy,
  type TestAccount,
  type TestChannel,
  testSite,
  useDatabase,
  useGateway,
  useBlocker,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

describe("while the database is away", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let member: TestAccount;
  let room: TestChannel;
  let way: ProxiedGateway;
  /** How often the gateway of a test has looked whether its database is back. */
  let looks = 0;

  before(async () => {
    const org = await organization(db);
    ({ member } = org);
    room = await channel(db, org.realm, { subscribers: [member] });
  });

  async function behindProxy(app: GatewayOptions["app"] = {}): Promise<void> {
    looks = 0;
    way = await startBehindProxy(db, { max: 3, connectMs: 1_500 }, (proxied) => {
      const health = async () => {
        looks++;
        await proxied.rows("SELECT 1");
      };
      return { app: { health, ...app } };
    });
  }
  afterEach(() => way.close());

  /** @param says what the refusal's text must contain */
  function expectUnavailable({ status, body }: Awaited<ReturnType<typeof post>>, says: string) {
    expect(status).to.equal(503);
    expect(body).to.include({ result: "error", code: "INTERNAL_ERROR" });
    expect(body.msg).to.contain(says);
  }
  const post = (content: string) =>
    way.gateway.as(member).post(scheduledMessagesPath, channelMessage(room.id, { content }));

  it("answers 503 whether connections are refused or time out", async () => {
    await behindProxy();
    await way.proxy.refuse();
    expectUnavailable(await post("refused"), "nothing was changed");
    expectUnavailable(
      await way.gateway.as(member).get(scheduledMessagesPath),
      "nothing was changed",
    );
    await way.proxy.heal();
    expect((await post("back")).status).to.equal(200);
    const busy = await Promise.all([1, 2, 3].map(() => way.db.pool.connect()));
    expectUnavailable(await post("no connection"), "nothing was changed");
    for (const connection of busy) connection.release();
    expect((await post("free")).status).to.equal(200);
    expect(way.gateway.logLines.map(({ msg }) => msg)).to.not.include(
      "request failed unexpectedly",
    );
  });

  describe("and disconnects in the middle of a request", () => {
    const blocker = useBlocker(db);
    beforeEach(() => behindProxy());
    const oneWaits = () => blocker.untilWaiting(1, "the request waits");
    const breakOff = () =>
      db.rows(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );

    it("refuses it with 503 before its COMMIT was sent", async () => {
      const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
      await blocker.lock("SELECT FROM scheduled_messages WHERE id = $1 FOR UPDATE", [id]);
      const edit = way.gateway
        .as(member)
        .patch(`${scheduledMessagesPath}/${id}`, { content: "edit" });
      await oneWaits();
      await breakOff();
      expectUnavailable(await edit, "nothing was changed");
    });

    it("reports that nothing was changed when only the name of a new program was added", async () => {
      const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
      await blocker.lock("SELECT FROM scheduled_messages WHERE id = $1 FOR UPDATE", [id]);
      const edit = way.gateway
        .as(member)
        .patch(`${scheduledMessagesPath}/${id}`, { content: "edit", client: "BrandNew" });
      await oneWaits();
      expect(await db.prisma.client.count({ where: { name: "BrandNew" } })).to.equal(1);
      await breakOff();
      expectUnavailable(await edit, "nothing was changed");
    });

    describe("with an Idempotency-Key", () => {
      const ask = (asked: KeyedAsk, by: Gateway = way.gateway) => askWithKey(by.as(member), asked);
      const rows = async (content: string) =>
        db.prisma.scheduledMessage.count({ where: { content } });

      it("refuses an edit that changed nothing with 503, and carries out its repeat", async () => {
        const { id } = await scheduledMessage(db, member, room, { dueIn: 3_600 });
        const edit: KeyedAsk = {
          method: "PATCH",
          path: `${scheduledMessagesPath}/${id}`,
          params: { content: "edited once" },
          key: "edit",
        };
        await blocker.lock("SELECT FROM scheduled_messages WHERE id = $1 FOR UPDATE", [id]);
        const asked = ask(edit);
        await oneWaits();
        await breakOff();
        expectUnavailable(await asked, "nothing was changed");
        expect(replayed(await asked)).to.equal("false");
        await blocker.release();
        expect(await rows("edited once")).to.equal(0);
        for (const marker of ["false", "true"]) {
          const repeat = await ask(edit, gateway);
          expect([repeat.status, replayed(repeat)]).to.deep.equal([200, marker]);
        }
        expect(await rows("edited once")).to.equal(1);
      });

      it("reports that the outcome is unknown once its COMMIT was sent, and answers its repeat", async () => {
        const schedule: KeyedAsk = {
          path: scheduledMessagesPath,
          params: channelMessage(room.id, { content: "once at most" }),
          key: "schedule",
        };
        await blocker.lock("SELECT FROM event_head FOR UPDATE");
        const asked = ask(schedule);
        await oneWaits();
        way.proxy.drop();
        expectUnavailable(await asked, "cannot tell");
        expect(replayed(await asked)).to.equal("false");
        await blocker.release();
        const repeat = await ask(schedule, gateway);
        expect(repeat.status).to.equal(200);
        expect(await rows("once at most")).to.equal(1);
      });
    });

    it("reports that the outcome is unknown once its COMMIT was sent", async () => {
      await blocker.lock("SELECT FROM event_head FOR UPDATE");
      const sent = post("who knows");
      await oneWaits();
      way.proxy.drop();
      expectUnavailable(await sent, "cannot tell");
    });
  });

  describe("holds a poll", () => {
    /** Registers over the healthy way, and polls over the broken one. */
    async function poll() {
      const { body } = await gateway.as(member).post("/api/v1/register", { event_types: "[]" });
      const { queue_id, last_event_id } = body as unknown as Record<string, string | number>;
      const answer = way.gateway.as(member).get("/api/v1/events", {
        queue_id: String(queue_id),
        last_event_id: Number(last_event_id),
      });
      return { queueId: String(queue_id), answer };
    }
    async function endsWell(queueId: string, answer: ReturnType<typeof post>) {
      await way.proxy.heal();
      await waitFor(() => way.gateway.events.counters.waiting === 1, { what: "the poll waits" });
      await gateway.as(member).delete("/api/v1/events", { queue_id: queueId });
      const { status, body } = await answer;
      expect(status).to.equal(200);
      expect(body).to.include({ queue_id: queueId });
    }
    const isHeld = () => waitFor(() => looks >= 2, { what: "the poll waits for the database" });

    it("until the database is back", async () => {
      await behindProxy();
      await way.proxy.refuse();
      const { queueId, answer } = await poll();
      await isHeld();
      await endsWell(queueId, answer);
    });

    it("that had been admitted", async () => {
      await behindProxy({
        authenticate: async (credentials, { keys }) => {
          const account = await authenticate(
            (digest) => keys.find(digest),
            testSite(),
            credentials,
          );
          if (looks === 0) await way.proxy.refuse();
          return account;
        },
      });
      const { queueId, answer } = await poll();
      await isHeld();
      await endsWell(queueId, answer);
    });

    it("no longer than a request may take", async () => {
      await behindProxy({ deadlineMs: 1_500 });
      await way.proxy.refuse();
      const { answer } = await poll();
      expect((await answer).status).to.equal(503);
    });

    it("no longer than the process runs", async () => {
      const closing = new AbortController();
      await behindProxy({ closing: closing.signal });
      await way.proxy.refuse();
      const { answer } = await poll();
      await isHeld();
      closing.abort();
      expectUnavailable(await answer, "nothing was changed");
    });
  });
});
