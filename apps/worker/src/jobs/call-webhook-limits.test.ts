import { readyCalls, recordEndpointUnanswered } from "@carillon/domain";
import { callWebhook } from "@carillon/jobs";
import {
  ageCalls,
  calledWith,
  callsOf,
  closedEndpoint,
  runJob,
  useCalledBotScene,
  webhookBot,
} from "@carillon/testkit";
import { expect } from "chai";

describe("limits of calls of outgoing webhook bots", () => {
  const called = useCalledBotScene();
  const { scene, endpoint, mention, work } = called;
  const { db } = scene;
  /** Runs the job of each waiting call twice, also of calls that may not be made. */
  const workTwice = async () => {
    for (let round = 0; round < 2; round++)
      for (const { callId, version, calls, state } of await callsOf(db, called.bot))
        if (state === "waiting") await runJob(db, callWebhook, { callId, version, calls });
  };

  it("let bots with the same endpoint alternate", async () => {
    await mention("one");
    await mention("two", { topic: "dinner" });
    const first = (await callsOf(db, called.bot))[0];
    called.bot = await webhookBot(scene, called.owner, endpoint.url);
    await mention("three");
    if (!first) throw new Error("no call was recorded");
    const { callId, version, calls } = first;
    await runJob(db, callWebhook, { callId, version, calls });
    expect(endpoint.calls.slice(0, 2).map(calledWith)).to.deep.equal(["one", "three"]);
  });

  it("put calls of other bots first after a job has made calls of one bot", async () => {
    await mention("one");
    await mention("two", { topic: "dinner" });
    const busyBot = called.bot;
    called.bot = await webhookBot(scene, called.owner, endpoint.url);
    await mention("three");
    const botsOf = async (lastBotId?: number) => {
      const ready = await readyCalls(db, {
        realmId: called.bot.realmId,
        limit: 8,
        ...(lastBotId === undefined ? {} : { lastBotId }),
      });
      const calls = [...(await callsOf(db, busyBot)), ...(await callsOf(db, called.bot))];
      return ready.map(({ callId }) => calls.find((call) => call.callId === callId)?.botId);
    };
    expect(await botsOf()).to.deep.equal([busyBot.id, busyBot.id, called.bot.id]);
    expect(await botsOf(busyBot.id)).to.deep.equal([called.bot.id, busyBot.id, busyBot.id]);
  });

  it("stop calls after five unanswered ones, then allow one trial, and give old calls up if it fails", async () => {
    const closed = await closedEndpoint();
    called.bot = await webhookBot(scene, called.owner, closed);
    for (let n = 0; n < 8; n++) await mention("go", { topic: `topic ${n}` });
    await workTwice();
    const made = async () =>
      (await callsOf(db, called.bot)).reduce((sum, { attempts }) => sum + attempts, 0);
    expect(await made()).to.equal(5);
    const [circuit] = await db.rows<{ failures: number; open: number }>(
      "SELECT failures, extract(epoch FROM open_until - now())::float8 AS open FROM outgoing_origin WHERE realm_id = $1 AND origin = $2",
      [scene.org.realm.id, new URL(closed).origin],
    );
    expect(circuit?.failures).to.equal(5);
    expect(circuit?.open).to.be.within(1, 10);
    await db.rows("UPDATE outgoing_origin SET open_until = now() WHERE realm_id = $1", [
      scene.org.realm.id,
    ]);
    await ageCalls(db, called.bot, "11 minutes", { untried: true });
    await workTwice();
    const calls = await callsOf(db, called.bot);
    expect(await made()).to.equal(6);
    const dead = calls.filter(({ state }) => state === "dead");
    expect(dead).to.have.length(3);
    // The trial may be one of them, and has a different reason.
    const givenUp = dead.filter(({ reason }) => reason === "the endpoint does not answer");
    expect(givenUp.length).to.be.at.least(2);
  });

  /**
   * Makes two calls that follow each other in one slot. During the first, other calls of the endpoint are not answered.
   * @returns the failures in a row after both calls
   */
  const failuresAfter = async (unanswered: number): Promise<number> => {
    const at = { realmId: called.bot.realmId, origin: new URL(endpoint.url).origin };
    endpoint.answer(async () => {
      const failing = endpoint.calls.length === 1 ? unanswered : 0;
      for (let n = 0; n < failing; n++) await recordEndpointUnanswered(db, at, 0);
      return {};
    });
    await mention("one");
    await mention("two", { topic: "dinner" });
    const [first] = await callsOf(db, called.bot);
    if (!first) throw new Error("no call was recorded");
    const { callId, version, calls } = first;
    await runJob(db, callWebhook, { callId, version, calls });
    const [circuit] = await db.rows<{ failures: number }>(
      "DELETE FROM outgoing_origin WHERE realm_id = $1 AND origin = $2 RETURNING failures",
      [at.realmId, at.origin],
    );
    return circuit?.failures ?? 0;
  };

  it("forget failures when a call that follows another one in its slot is answered", async () => {
    expect(await failuresAfter(4)).to.equal(0);
    expect(endpoint.calls.map(calledWith)).to.deep.equal(["one", "two"]);
  });

  it("stop calls that follow each other in a slot when the circuit opens", async () => {
    expect(await failuresAfter(5)).to.equal(5);
    expect(endpoint.calls.map(calledWith)).to.deep.equal(["one"]);
    expect(await db.rows("SELECT FROM outgoing_slot")).to.deep.equal([]);
  });

  /** Inserts waiting calls of the bot, as if that many messages had mentioned it. */
  const letWait = (count: number, conversation: string) =>
    db.rows(
      `INSERT INTO outgoing_call (realm_id, bot_id, message_id, conversation, trigger, webhook_id, next_at)
       SELECT $1, $2::int, 1000000000 + n, $3, 'mention', 'call_' || md5($2::int || ' ' || n), 'infinity'
       FROM generate_series(1, $4::int) n`,
      [called.bot.realmId, called.bot.id, conversation, count],
    );
  const tooMany = { state: "dead", reason: "too many messages wait for the endpoint" };
  const busy = () => endpoint.answerWithStatus(429, { "retry-after": "300" });
  const callFor = async (id: number) =>
    (await callsOf(db, called.bot)).find(({ messageId }) => messageId === id);

  it("skip the 101st call that waits in a conversation", async () => {
    busy();
    await mention("first");
    const [first] = await db.rows<{ conversation: string }>(
      "SELECT conversation FROM outgoing_call WHERE bot_id = $1",
      [called.bot.id],
    );
    await letWait(98, first?.conversation ?? "");
    const last = await mention("the hundredth");
    const skipped = await mention("one too many");
    const elsewhere = await mention("another conversation", { topic: "dinner" });
    await work();
    expect(await callFor(last)).to.include({ state: "waiting" });
    expect(await callFor(skipped)).to.include(tooMany);
    expect(await callFor(elsewhere)).to.include({ state: "waiting" });
    expect(endpoint.calls).to.have.length(2);
  });

  it("skip the call after 10,000 that wait in an organization", async () => {
    busy();
    const others = await db.rows(
      "SELECT FROM outgoing_call WHERE realm_id = $1 AND state = 'waiting'",
      [called.bot.realmId],
    );
    try {
      await letWait(9_999 - others.length, "elsewhere");
      const last = await mention("the last");
      const skipped = await mention("one too many", { topic: "dinner" });
      await work();
      expect(await callFor(last)).to.include({ state: "waiting" });
      expect(await callFor(skipped)).to.include(tooMany);
      expect(endpoint.calls).to.have.length(1);
    } finally {
      await db.rows("DELETE FROM outgoing_call WHERE bot_id = $1", [called.bot.id]);
    }
  });
});
