import {
  createEventSubscription,
  deactivateBot,
  deleteEventSubscription,
  getEventSubscription,
  listEventDeliveries,
  listEventSubscriptions,
  replayEventSubscription,
  rotateEventSubscriptionSecret,
  updateEventSubscription,
} from "@carillon/contract";
import {
  bot,
  channel,
  lastEventSeq,
  organization,
  refused,
  roles,
  send,
  toChannel,
  user,
  useScene,
  webhookBot,
  type Params,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

const url = "https://example.org/events?a=b";
const idsPerEvent = 1_024;

describe("event subscriptions", () => {
  const scene = useScene();
  const { db } = scene;
  let owner: TestAccount;
  let other: TestAccount;
  let own: TestAccount;
  let room: TestChannel;

  before(async () => {
    owner = await user(db, scene.org.realm);
    other = await user(db, scene.org.realm);
    own = await bot(db, owner);
    room = await channel(db, scene.org.realm, { subscribers: [owner] });
  });
  afterEach(() => db.rows("DELETE FROM event_subscription"));

  const wanted = { url, event_types: ["message"] };
  const create = async (by = own, params: Params = {}) =>
    scene.as(by).succeed(createEventSubscription, { params: { ...wanted, ...params } });
  const at = (id: number) => ({ path: { subscription_id: id } });
  const read = async (id: number, by = own) =>
    (await scene.as(by).succeed(getEventSubscription, at(id))).subscription;
  const change = async (id: number, params: Params, by = own) =>
    (await scene.as(by).succeed(updateEventSubscription, { ...at(id), params })).subscription;
  const lastId = async () => (await lastEventSeq(db, scene.org.realm.id)) * idsPerEvent;

  it("begin after the last event, and show their secret once", async () => {
    await send(scene.as(owner), toChannel(room.id));
    const { subscription, signing_secret: secret } = await create();
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(subscription).to.deep.equal({
      id: subscription.id,
      bot_id: own.id,
      url,
      event_types: ["message"],
      narrow: [],
      all_public_streams: false,
      description: "",
      state: "active",
      state_reason: null,
      cursor: await lastId(),
      failing_since: null,
      next_attempt_at: null,
      signing_secrets: 1,
      date_created: subscription.date_created,
    });
    expect(subscription.cursor).to.be.greaterThan(0);
    expect(await read(subscription.id)).to.deep.equal(subscription);
    const { subscriptions } = await scene.as(own).succeed(listEventSubscriptions);
    expect(subscriptions).to.deep.equal([subscription]);
    const stored = await db.rows("SELECT * FROM event_subscription");
    expect(JSON.stringify(stored)).not.to.include(secret.slice(6));
  });

  it("are managed only by the bot, its owner and administrators", async () => {
    const { subscription } = await create(owner, { bot_id: own.id });
    for (const by of [own, owner, scene.org.admin])
      expect(await read(subscription.id, by)).to.deep.equal(subscription);
    const foreign = (await organization(db)).owner;
    for (const by of [other, foreign, scene.org.bot])
      for (const ask of [
        () => scene.as(by).call(getEventSubscription, at(subscription.id)),
        () => scene.as(by).call(updateEventSubscription, { ...at(subscription.id), params: {} }),
        () => scene.as(by).call(deleteEventSubscription, at(subscription.id)),
        () => scene.as(by).call(rotateEventSubscriptionSecret, at(subscription.id)),
        () => scene.as(by).call(listEventDeliveries, at(subscription.id)),
        () => scene.as(by).call(listEventSubscriptions, { params: { bot_id: own.id } }),
        () => scene.as(by).call(createEventSubscription, { params: { ...wanted, bot_id: own.id } }),
      ])
        await refused(db, ask, "BAD_REQUEST");
    await refused(
      db,
      () => scene.as(owner).call(listEventSubscriptions),
      "REQUEST_VARIABLE_MISSING",
      { var_name: "bot_id" },
    );
  });

  it("belong to active generic bots and outgoing webhooks only", async () => {
    const caller = await webhookBot(scene, owner, "https://example.org/");
    await create(owner, { bot_id: caller.id });
    const receiver = await bot(db, owner, { botType: 2 });
    const gone = await bot(db, owner, { isActive: false });
    for (const { id } of [receiver, gone])
      await refused(
        db,
        () => scene.as(owner).call(createEventSubscription, { params: { ...wanted, bot_id: id } }),
        "BAD_REQUEST",
      );
  });

  for (const [title, params] of [
    ["another scheme", { url: "ftp://example.org" }],
    ["http", { url: "http://example.org" }],
    ["http and a public address", { url: "http://8.8.8.8/" }],
    ["no host", { url: "https://" }],
    ["a user name", { url: "https://me@example.org/" }],
    ["a fragment", { url: "https://example.org/#a" }],
    ["a mail port", { url: "https://example.org:25/" }],
    ["too long a URL", { url: `https://example.org/${"a".repeat(2_048)}` }],
    ...[
      "10.0.0.1",
      "169.254.169.254",
      "[::1]",
      "[::ffff:10.0.0.1]",
      "[64:ff9b::a00:1]",
      "0.0.0.0",
      "167772161",
    ].map((host) => [host, { url: `https://${host}/` }] as const),
    ["no event types", { event_types: [] }],
    ["21 event types", { event_types: Array<string>(21).fill("message") }],
    ["heartbeats", { event_types: ["heartbeat"] }],
    ["presence", { event_types: ["message", "presence"] }],
    ["typing", { event_types: ["typing"] }],
    ["typing in an edit", { event_types: ["typing_edit_message"] }],
    ["an unknown event type", { event_types: ["nonsense"] }],
    ["an internal event type", { event_types: ["queue_deleted"] }],
    ["a narrow of objects", { narrow: [{ operator: "is", operand: "dm" }] }],
    ["an unknown operator", { narrow: [["near", "1"]] }],
    ["too long a description", { description: "x".repeat(201) }],
    ["the id of a person", { bot_id: 1 }],
  ] as const)
    it(`refuse ${title}`, () =>
      refused(
        db,
        () => scene.as(own).call(createEventSubscription, { params: { ...wanted, ...params } }),
        "BAD_REQUEST",
      ));

  it("take http for an address that the operator allows", async () => {
    const { subscription } = await create(own, { url: "http://127.0.0.1:9999/" });
    expect(subscription.url).to.equal("http://127.0.0.1:9999/");
  });

  it("listen to all public channels, unless the bot is a guest", async () => {
    const { subscription } = await create(own, { all_public_streams: true });
    expect(subscription.all_public_streams).to.equal(true);
    const guest = await bot(db, owner, { role: roles.guest });
    await refused(
      db,
      () =>
        scene.as(guest).call(createEventSubscription, {
          params: { ...wanted, all_public_streams: true },
        }),
      "BAD_REQUEST",
    );
  });

  it("are limited to ten of a bot and a hundred of an organization, also under concurrent requests", async () => {
    const asked = await Promise.all(
      Array.from({ length: 12 }, () =>
        scene.as(own).call(createEventSubscription, { params: wanted }),
      ),
    );
    expect(asked.filter(({ status }) => status === 200)).to.have.length(10);
    await db.rows(
      `INSERT INTO event_subscription (realm_id, bot_id, url, origin, description, event_types, narrow,
         all_public_channels, secret_sealed, pinged_at, cursor)
       SELECT realm_id, $1, url, origin, '', event_types, narrow, false, secret_sealed, '{}', 0
       FROM event_subscription, generate_series(1, 9) WHERE bot_id = $2 LIMIT 89`,
      [scene.org.bot.id, own.id],
    );
    const third = await bot(db, owner);
    await scene.as(third).succeed(createEventSubscription, { params: wanted });
    await refused(
      db,
      () => scene.as(third).call(createEventSubscription, { params: wanted }),
      "BAD_REQUEST",
    );
  });

  it("change, pause and resume", async () => {
    const { subscription } = await create();
    const { id } = subscription;
    const changes = {
      url: "https://example.org/b",
      event_types: ["message", "reaction", "message"],
      narrow: [["is", "dm"]],
      all_public_streams: true,
      description: "For the archive",
    };
    expect(await change(id, changes, owner)).to.deep.equal({
      ...subscription,
      ...changes,
      event_types: ["message", "reaction"],
    });
    expect(await change(id, { paused: true })).to.include({
      state: "paused",
      description: changes.description,
    });
    expect(await change(id, { paused: false })).to.include({ state: "active" });
    for (const params of [
      { url: "http://10.0.0.1/", description: "x" },
      { event_types: ["presence"] },
      { narrow: [["near", "1"]] },
      { description: "x".repeat(201) },
      { paused: "maybe" },
    ])
      await refused(
        db,
        () => scene.as(own).call(updateEventSubscription, { ...at(id), params }),
        "BAD_REQUEST",
      );
  });

  it("refuse a 21st change of filters while earlier events wait", async () => {
    const { subscription } = await create();
    const { id } = subscription;
    const types = [["message"], ["reaction"]];
    for (let n = 1; n <= 20; n++) {
      await send(scene.as(owner), toChannel(room.id));
      await change(id, { event_types: types[n % 2] });
    }
    await send(scene.as(owner), toChannel(room.id));
    const ask = () =>
      scene
        .as(own)
        .call(updateEventSubscription, { ...at(id), params: { event_types: ["reaction"] } });
    await refused(db, ask, "BAD_REQUEST");
    await db.rows("UPDATE event_subscription SET cursor = cursor + 5 WHERE id = $1", [id]);
    expect((await ask()).status).to.equal(200);
  });

  it("are deleted", async () => {
    const { subscription } = await create();
    await scene.as(own).succeed(deleteEventSubscription, at(subscription.id));
    await refused(
      db,
      () => scene.as(own).call(getEventSubscription, at(subscription.id)),
      "BAD_REQUEST",
    );
  });

  it("rotate their secret, and sign with the previous one as well for a while", async () => {
    const { subscription, signing_secret: first } = await create();
    const { id } = subscription;
    const rotate = (params: Params = {}) =>
      scene.as(own).succeed(rotateEventSubscriptionSecret, { ...at(id), params });
    const { signing_secret: second } = await rotate();
    expect(second)
      .to.match(/^whsec_/)
      .and.not.to.equal(first);
    expect((await read(id)).signing_secrets).to.equal(2);
    await rotate({ expire_seconds: 0 });
    expect((await read(id)).signing_secrets).to.equal(1);
    for (const seconds of [-1, 604_801, "soon"])
      await refused(
        db,
        () =>
          scene.as(own).call(rotateEventSubscriptionSecret, {
            ...at(id),
            params: { expire_seconds: seconds },
          }),
        "BAD_REQUEST",
      );
  });

  it("replay from an event or a time, but not from before the oldest event of the log", async () => {
    const { subscription } = await create();
    const { id } = subscription;
    const replay = (params: Params) =>
      scene.as(own).call(replayEventSubscription, { ...at(id), params });
    for (let n = 0; n < 3; n++) await send(scene.as(owner), toChannel(room.id));
    const last = await lastId();
    const back = await replay({ from_event_id: last - idsPerEvent });
    expect(back.body.cursor).to.equal(last - 2 * idsPerEvent);
    expect((await read(id)).cursor).to.equal(last - 2 * idsPerEvent);
    await db.rows(
      `UPDATE event_log SET created_at = to_timestamp(1000000000 + seq) WHERE realm_id = $1`,
      [scene.org.realm.id],
    );
    const seq = last / idsPerEvent;
    expect((await replay({ from_time: 1_000_000_000 + seq - 1 })).body.cursor).to.equal(
      (seq - 2) * idsPerEvent,
    );
    expect((await replay({ from_time: 0 })).body.cursor).to.equal(0);
    expect((await replay({ from_event_id: 0 })).body.cursor).to.equal(0);
    for (const params of [
      {},
      { from_event_id: last, from_time: 5 },
      { from_event_id: last + idsPerEvent },
      { from_event_id: -1 },
      { from_time: 1_000_000_000 + seq + 1 },
    ])
      await refused(db, () => replay(params), "BAD_REQUEST");
    await db.rows("DELETE FROM event_log WHERE realm_id = $1 AND seq < $2", [
      scene.org.realm.id,
      seq - 1,
    ]);
    const oldest = { oldest_event_id: last - idsPerEvent };
    for (const params of [{ from_event_id: last - 2 * idsPerEvent }, { from_time: 5 }])
      await refused(db, () => replay(params), "BAD_REQUEST", oldest);
    expect((await replay({ from_event_id: oldest.oldest_event_id })).status).to.equal(200);
  });

  it("are disabled with their bot, and resume only after it", async () => {
    const mortal = await bot(db, owner);
    const { subscription } = await create(mortal);
    await scene.as(owner).succeed(deactivateBot, { path: { bot_id: mortal.id } });
    expect(await read(subscription.id, owner)).to.include({
      state: "disabled",
      state_reason: "the bot is deactivated",
    });
    const resume = () =>
      scene
        .as(owner)
        .call(updateEventSubscription, { ...at(subscription.id), params: { paused: false } });
    await refused(db, resume, "BAD_REQUEST");
    await db.rows("UPDATE users SET is_active = true WHERE id = $1", [mortal.id]);
    expect((await resume()).body.subscription).to.include({ state: "active", state_reason: null });
  });

  it("list no deliveries before the first one", async () => {
    const { subscription } = await create();
    const answer = await scene.as(owner).succeed(listEventDeliveries, at(subscription.id));
    expect(answer.deliveries).to.deep.equal([]);
  });
});
