import {
  clientCapabilities,
  deactivateBot,
  deleteEventSubscription,
  listEventDeliveries,
  pingEventSubscription,
  replayEventSubscription,
  rotateEventSubscriptionSecret,
  updateEventSubscription,
} from "@carillon/contract";
import { recordFailureNotices } from "@carillon/domain";
import { pingSubscription, sendNotice } from "@carillon/jobs";
import {
  bot,
  channel,
  eventSubscription,
  letSubscriptionWait,
  logEvents,
  noticesTo,
  refused,
  runIntents,
  send,
  sentEvents,
  sentTexts,
  serveEvents,
  toChannel,
  toUsers,
  useEndpoint,
  user,
  useScene,
  watch,
  type Params,
  type TestAccount,
  type TestChannel,
  type TestSubscription,
} from "@carillon/testkit";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";

// bot-platform.md §3
describe("deliveries of event subscriptions", () => {
  const scene = useScene();
  const endpoint = useEndpoint();
  const { db } = scene;
  let person: TestAccount;
  let owner: TestAccount;
  let own: TestAccount;
  let room: TestChannel;
  let subscribed: TestSubscription;

  before(async () => {
    person = await user(db, scene.org.realm);
    owner = await user(db, scene.org.realm);
  });
  beforeEach(async () => {
    await db.rows("DELETE FROM event_subscription");
    own = await bot(db, owner);
    room = await channel(db, scene.org.realm, { subscribers: [person, own] });
    subscribed = await eventSubscription(scene, own, endpoint.url);
  });

  const say = (content = "hello", topic = "lunch") =>
    send(scene.as(person), toChannel(room.id, { content, topic }));
  const serve = () => serveEvents(db, subscribed);
  const sent = () => endpoint.calls.map(sentEvents);
  const contents = () => endpoint.calls.map(sentTexts);
  const ids = () => endpoint.calls.map(({ headers }) => headers["webhook-id"]);
  const at = () => ({ path: { subscription_id: subscribed.id } });
  const patch = (params: Params) =>
    scene.as(own).succeed(updateEventSubscription, { ...at(), params });
  const deliveries = async () =>
    (await scene.as(own).succeed(listEventDeliveries, at())).deliveries;
  const toOwner = async () => {
    await runIntents(db, sendNotice);
    return (await noticesTo(scene.as(owner), scene.org.notificationBot)).map(
      ({ content }) => content,
    );
  };

  it("send the events that GET /events gives to the bot, signed", async () => {
    const params = {
      event_types: ["message", "reaction", "update_message", "stream"],
      apply_markdown: false,
      client_gravatar: false,
      client_capabilities: Object.fromEntries(clientCapabilities.map((name) => [name, true])),
    };
    await patch({ event_types: params.event_types });
    const events = await watch(scene.gateway, { own: { account: own, params } }, async () => {
      const id = await say("*all* is well", "");
      await scene.as(person).post(`/api/v1/messages/${id}/reactions`, { emoji_name: "tada" });
      await scene.as(person).patch(`/api/v1/messages/${id}`, { content: "none is" });
      await send(scene.as(person), toUsers([own.id]));
      const secret = await channel(db, scene.org.realm, {
        subscribers: [person],
        inviteOnly: true,
      });
      await send(scene.as(person), toChannel(secret.id));
    });
    await serve();
    const [call, ...others] = endpoint.calls;
    expect(others).to.deep.equal([]);
    const body = new Webhook(subscribed.secret).verify(call?.body ?? "", call?.headers ?? {});
    const read = await subscribed.read();
    expect(events.own.map(({ type }) => type)).to.include.members(["message", "reaction"]);
    expect(body).to.deep.equal({
      type: "events",
      timestamp: (body as { timestamp: string }).timestamp,
      data: {
        subscription_id: subscribed.id,
        bot_id: own.id,
        realm_url: sent()[0]?.data.realm_url,
        gap: false,
        events: events.own,
      },
    });
    expect(new Date((body as { timestamp: string }).timestamp).toISOString()).to.equal(
      (body as { timestamp: string }).timestamp,
    );
    expect(read.cursor).to.be.at.least(events.own.at(-1)?.id ?? 0);
    const [delivery, ...earlier] = await deliveries();
    expect(earlier).to.deep.equal([]);
    expect(delivery).to.deep.include({
      webhook_id: call?.headers["webhook-id"],
      first_event_id: events.own[0]?.id,
      last_event_id: events.own.at(-1)?.id,
      events: events.own.length,
      attempt: 1,
      status: 200,
      error: null,
      outcome: "done",
      response_head: "{}",
    });
  });

  it("skip events for other users without a call", async () => {
    await patch({ narrow: [["topic", "dinner"]] });
    await say();
    await serve();
    expect(endpoint.calls).to.deep.equal([]);
    const { cursor } = await subscribed.read();
    await serve();
    expect((await subscribed.read()).cursor).to.equal(cursor);
    await say("soup", "dinner");
    await serve();
    expect(contents()).to.deep.equal([["soup"]]);
    expect((await subscribed.read()).cursor).to.be.greaterThan(cursor);
  });

  it("send messages of all public channels with all_public_streams", async () => {
    await patch({ all_public_streams: true });
    const other = await channel(db, scene.org.realm, { subscribers: [person] });
    await send(scene.as(person), toChannel(other.id, { content: "elsewhere" }));
    await serve();
    expect(contents()).to.deep.equal([["elsewhere"]]);
  });

  /** Logs events for the bot, each with a text of this length, and subscribes it to them. */
  const log = async (count: number, length: number) => {
    await patch({ event_types: ["alert_words"] });
    await logEvents(db, { realmId: scene.org.realm.id, userId: own.id }, count, length);
  };

  it("send at most 100 events at a time, in order, and the next after a success", async () => {
    await log(250, 1);
    let inProgress = 0;
    endpoint.answer(async () => {
      const others = inProgress++;
      await new Promise((resolve) => setImmediate(resolve));
      inProgress--;
      if (others > 0) throw new Error("two requests at a time");
      return {};
    });
    await Promise.all([serve(), serve()]);
    expect(sent().map(({ data }) => data.events.length)).to.deep.equal([100, 100, 50]);
    const numbers = sent().flatMap(({ data }) => data.events.map(({ id }) => id));
    expect(numbers).to.deep.equal([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).to.equal(250);
    expect(new Set(ids()).size).to.equal(3);
  });

  it("send at most 1 MB at a time, but a larger event alone", async () => {
    await log(5, 300_000);
    await log(1, 1_200_000);
    await serve();
    expect(sent().map(({ data }) => data.events.length)).to.deep.equal([3, 2, 1]);
    expect(endpoint.calls.map(({ body }) => Buffer.byteLength(body) <= 1_000_000)).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it("repeat a batch that failed under its id, with the same events, until a success", async () => {
    await say("first");
    endpoint.answerWithStatus(500);
    const { published } = await serve();
    expect(published).to.have.length(1);
    expect(published[0]?.delayMs).to.be.within(800, 1_200);
    const failing = await subscribed.read();
    expect(failing).to.include({ state: "failing", state_reason: "status 500" });
    expect(failing.failing_since).to.be.a("number");
    expect(failing.next_attempt_at).to.be.a("number");
    await say("second");
    await db.rows("UPDATE event_subscription SET next_at = now() + interval '1 minute'");
    await serve();
    expect(endpoint.calls).to.have.length(1);
    endpoint.answer(() => "");
    await letSubscriptionWait(db, subscribed);
    await serve();
    expect(contents()).to.deep.equal([["first"], ["first"], ["second"]]);
    expect(ids()[1]).to.equal(ids()[0]);
    expect(ids()[2]).not.to.equal(ids()[0]);
    expect(await subscribed.read()).to.include({
      state: "active",
      state_reason: null,
      failing_since: null,
      next_attempt_at: null,
    });
    expect(
      (await deliveries()).map(({ attempt, outcome }) => ({ attempt, outcome })),
    ).to.deep.equal([
      { attempt: 1, outcome: "done" },
      { attempt: 2, outcome: "done" },
      { attempt: 1, outcome: "retry" },
    ]);
  });

  it("wait longer after each failure, two hours at most", async () => {
    await say();
    endpoint.answerWithStatus(404);
    const delays: number[] = [];
    for (let n = 0; n < 9; n++) {
      await letSubscriptionWait(db, subscribed);
      const { published } = await serve();
      delays.push((published[0]?.delayMs ?? 0) / 1_000);
    }
    for (const [n, usual] of [1, 5, 30, 120, 600, 1_800, 3_600, 7_200, 7_200].entries())
      expect(delays[n], String(n)).to.be.within(usual * 0.8, usual * 1.2);
  });

  for (const [status, header, seconds] of [
    [429, "120", [120]],
    [503, "120", [120]],
    [503, "100000", [3_600]],
    [429, "0", [1]],
    [500, "120", [0.8, 1.2]],
    [302, "120", [0.8, 1.2]],
  ] as const)
    it(`wait ${seconds.join(" to ")} s after status ${status} with Retry-After: ${header}`, async () => {
      await say();
      endpoint.answerWithStatus(status, { "retry-after": header, location: endpoint.url });
      const { published } = await serve();
      const delay = (published[0]?.delayMs ?? 0) / 1_000;
      expect(delay).to.be.within(seconds[0], seconds.at(-1) ?? 0);
      expect(endpoint.calls).to.have.length(1);
    });

  it("are disabled by status 410, and tell the owner of the bot", async () => {
    await say();
    endpoint.answerWithStatus(410);
    await serve();
    expect(await subscribed.read()).to.include({
      state: "disabled",
      state_reason: "status 410",
      next_attempt_at: null,
    });
    await serve();
    expect(endpoint.calls).to.have.length(1);
    const told = await toOwner();
    expect(told.at(-1)).to.match(/are no longer sent to/);
    endpoint.answer(() => ({}));
    await patch({ paused: false });
    await serve();
    expect(contents()).to.deep.equal([["hello"], ["hello"]]);
    expect(ids()[1]).to.equal(ids()[0]);
  });

  it("are disabled after three days of nothing but failures, and tell the owner after an hour, once", async () => {
    await say();
    endpoint.answerWithStatus(500);
    await serve();
    const since = (time: string) =>
      db.rows("UPDATE event_subscription SET failing_since = now() - $1::interval", [time]);
    const before = (await toOwner()).length;
    await since("59 minutes");
    expect(await recordFailureNotices(db, 10)).to.equal(0);
    await since("61 minutes");
    expect(await recordFailureNotices(db, 10)).to.equal(1);
    expect(await recordFailureNotices(db, 10)).to.equal(0);
    expect((await toOwner()).slice(before)).to.have.length(1);
    await since("71 hours");
    await letSubscriptionWait(db, subscribed);
    await serve();
    expect((await subscribed.read()).state).to.equal("failing");
    await since("72 hours");
    await letSubscriptionWait(db, subscribed);
    await serve();
    expect(await subscribed.read()).to.include({
      state: "disabled",
      state_reason: "failing for 3 days: status 500",
    });
    expect((await toOwner()).slice(before)).to.have.length(2);
    expect((await deliveries()).map(({ outcome }) => outcome)).to.deep.equal([
      "failed",
      "retry",
      "retry",
    ]);
  });

  it("continue from the event of a replay, also while a batch is in progress", async () => {
    await say("first");
    await say("second");
    const { cursor } = await subscribed.read();
    endpoint.answer(async () => {
      endpoint.answer(() => ({}));
      const params = { from_event_id: cursor + 1_024 };
      await scene.as(own).succeed(replayEventSubscription, { ...at(), params });
      return {};
    });
    await serve();
    expect((await subscribed.read()).cursor).to.equal(cursor);
    await serve();
    expect(contents()).to.deep.equal([
      ["first", "second"],
      ["first", "second"],
    ]);
    expect(ids()[1]).not.to.equal(ids()[0]);
  });

  it("move the cursor for a batch acknowledged after a pause, and send no further one", async () => {
    for (const content of ["first", "second"]) {
      await say(content);
      endpoint.answer(async () => {
        await patch({ paused: true });
        return {};
      });
      await serve();
    }
    expect(contents()).to.deep.equal([["first"]]);
    expect((await subscribed.read()).state).to.equal("paused");
    endpoint.answer(() => ({}));
    await patch({ paused: false });
    await serve();
    expect(contents()).to.deep.equal([["first"], ["second"]]);
  });

  it("stop when the subscription or the bot is removed, also while a batch is in progress", async () => {
    await say();
    endpoint.answerWithStatus(500);
    await serve();
    endpoint.answer(async (_call, response) => {
      await scene.as(owner).succeed(deactivateBot, { path: { bot_id: own.id } });
      response.writeHead(500).end();
    });
    await letSubscriptionWait(db, subscribed);
    await serve();
    const [row] = await db.rows("SELECT state, state_reason FROM event_subscription");
    expect(row).to.deep.equal({ state: "disabled", state_reason: "the bot is deactivated" });
    await serve();
    expect(endpoint.calls).to.have.length(2);
    own = await bot(db, owner);
    subscribed = await eventSubscription(scene, own, endpoint.url);
    await send(scene.as(person), toUsers([own.id]));
    endpoint.answer(async () => {
      await scene.as(own).succeed(deleteEventSubscription, at());
      return {};
    });
    await serve();
    expect(endpoint.calls).to.have.length(3);
    expect(await db.rows("SELECT FROM outgoing_slot")).to.deep.equal([]);
  });

  it("apply the old filters to events from before a change, in a repeated batch too", async () => {
    await say("first");
    endpoint.answerWithStatus(500);
    await serve();
    await say("second");
    await patch({ narrow: [["topic", "dinner"]] });
    await say("third");
    await say("fourth", "dinner");
    endpoint.answer(() => ({}));
    await letSubscriptionWait(db, subscribed);
    await serve();
    expect(contents()).to.deep.equal([["first"], ["first"], ["second", "fourth"]]);
    const [row] = await db.rows("SELECT earlier_filters FROM event_subscription");
    expect(row).to.deep.equal({ earlier_filters: [] });
  });

  it("report a gap once if events were deleted before they were sent", async () => {
    await say("lost");
    endpoint.answerWithStatus(500);
    await serve();
    await say("kept");
    await db.rows(
      `DELETE FROM event_log e WHERE realm_id = $1 AND seq < (SELECT max(seq) FROM event_log WHERE realm_id = $1)`,
      [scene.org.realm.id],
    );
    endpoint.answer(() => ({}));
    await letSubscriptionWait(db, subscribed);
    await serve();
    await say("later");
    await serve();
    expect(contents().slice(1)).to.deep.equal([["kept"], ["later"]]);
    expect(sent().map(({ data }) => data.gap)).to.deep.equal([false, true, false]);
  });

  it("are signed with both secrets after a rotation", async () => {
    const rotated = await scene.as(own).succeed(rotateEventSubscriptionSecret, at());
    await say();
    await serve();
    const [call] = endpoint.calls;
    for (const secret of [subscribed.secret, rotated.signing_secret])
      expect(new Webhook(secret).verify(call?.body ?? "", call?.headers ?? {})).to.be.an("object");
  });

  it("send a ping in any state, at most ten in a minute", async () => {
    const ping = () => scene.as(own).call(pingEventSubscription, at());
    await patch({ paused: true });
    expect((await ping()).status).to.equal(200);
    await runIntents(db, pingSubscription);
    const [call] = endpoint.calls;
    const body = new Webhook(subscribed.secret).verify(call?.body ?? "", call?.headers ?? {});
    expect(body).to.deep.include({ type: "ping" });
    expect((body as { data: object }).data).to.have.all.keys(
      "subscription_id",
      "bot_id",
      "realm_url",
    );
    endpoint.answerWithStatus(500);
    expect((await ping()).status).to.equal(200);
    await runIntents(db, pingSubscription);
    expect(
      (await deliveries()).map(({ outcome, error, events, first_event_id }) => [
        outcome,
        error,
        events,
        first_event_id,
      ]),
    ).to.deep.equal([
      ["failed", "status 500", 0, null],
      ["done", null, 0, null],
    ]);
    for (let n = 0; n < 8; n++) expect((await ping()).status).to.equal(200);
    await refused(db, ping, "RATE_LIMIT_HIT", undefined, 429);
    await db.rows(
      "UPDATE event_subscription SET pinged_at = ARRAY(SELECT unnest(pinged_at) - interval '1 minute')",
    );
    expect((await ping()).status).to.equal(200);
    await db.rows("DELETE FROM job_intent WHERE job = 'ping-subscription'");
    expect(await subscribed.read()).to.include({ state: "paused" });
  });

  it("wait for a slot among the calls in progress, and free the slot of a killed worker when its claim expires", async () => {
    await say();
    await db.rows("UPDATE event_subscription SET calling_until = now() + interval '1 minute'");
    await serve();
    expect(endpoint.calls).to.deep.equal([]);
    await db.rows("UPDATE event_subscription SET calling_until = now() - interval '1 second'");
    await serve();
    expect(contents()).to.deep.equal([["hello"]]);
  });

  it("store nothing for a call if another worker has claimed the subscription meanwhile", async () => {
    await say();
    endpoint.answer(async () => {
      endpoint.answer(() => ({}));
      await db.rows("UPDATE event_subscription SET calling_until = now() - interval '1 second'");
      await serve();
      return {};
    });
    await serve();
    expect(contents()).to.deep.equal([["hello"], ["hello"]]);
    expect(ids()[1]).to.equal(ids()[0]);
    expect(await deliveries()).to.have.length(1);
    expect(await db.rows("SELECT FROM outgoing_slot")).to.deep.equal([]);
  });
});
