import { audiencePart, lockAudiences, flag } from "@carillon/model";
import {
  behindOne,
  bot,
  channel,
  eventsOf,
  messagesPath,
  send,
  startGateway,
  toChannel,
  toUsers,
  user,
  useBlocker,
  useScene,
  waitFor,
  type Gateway,
  type Params,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Messages sent concurrently", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let people: TestAccount[];
  let leader: TestAccount;
  let room: TestChannel;
  let closed: TestChannel;

  before(async () => {
    const { db, org } = scene;
    people = await Promise.all(Array.from({ length: 4 }, () => user(db, org.realm)));
    leader = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [org.member, leader, ...people] });
    closed = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
  });

  type Sent = readonly [TestAccount, Params];
  /** Sends a message that blocks on the event-log lock at COMMIT, then the others behind it, one after another. */
  async function behind(others: readonly Sent[], gateway: Gateway = scene.gateway) {
    const post = (sender: TestAccount, params: Params) =>
      gateway.as(sender).post(messagesPath, params);
    return behindOne(
      gateway,
      blocker,
      () => send(gateway.as(leader), toChannel(room.id)),
      others.map(
        ([sender, params]) =>
          () =>
            post(sender, params),
      ),
    );
  }
  const stored = async (ids: readonly number[]) =>
    scene.db.rows<{ content: string; sentAt: string }>(
      `SELECT content, sent_at::text AS "sentAt" FROM messages WHERE id = ANY($1::bigint[]) ORDER BY id`,
      [ids],
    );

  it("are written in one transaction, each with its own response, in order of arrival", async () => {
    const [a, b, c] = people as [TestAccount, TestAccount, TestAccount];
    const sends: Sent[] = [
      [a, toChannel(room.id, { content: "by id", topic: "new" })],
      [b, toChannel(room.name, { content: "by name", topic: "new" })],
      [c, toChannel(closed.id, { content: "not there" })],
      [c, toUsers([a.id], { content: "to one" })],
      [scene.org.member, toChannel("no such channel", { content: "nowhere" })],
      [scene.org.member, toUsers([b.email], { content: "by address" })],
      [scene.org.member, toUsers(["nobody@nowhere.test"], { content: "to nobody" })],
      [scene.org.guest, toUsers([a.id], { content: "" })],
    ];
    const { result: answers, events } = await eventsOf(scene.db, scene.org.realm.id, async () =>
      (await behind(sends)).answers(),
    );
    expect(answers.map(({ body }) => body["code"] ?? "SENT")).to.deep.equal([
      "SENT",
      "SENT",
      "BAD_REQUEST",
      "SENT",
      "STREAM_DOES_NOT_EXIST",
      "SENT",
      "BAD_REQUEST",
      "BAD_REQUEST",
    ]);
    const ids = answers.flatMap(({ body }) => (body["id"] ? [Number(body["id"])] : []));
    expect(ids).to.deep.equal(ids.toSorted((x, y) => x - y));
    const rows = await stored(ids);
    expect(rows.map(({ content }) => content)).to.deep.equal([
      "by id",
      "by name",
      "to one",
      "by address",
    ]);
    expect(new Set(rows.map(({ sentAt }) => sentAt)).size, "one transaction").to.equal(1);
    const received = events
      .filter(({ type }) => type === "message")
      .map(({ payload }) => (payload["message"] as { id: number }).id);
    expect(received.slice(1)).to.deep.equal(ids);
  });

  it("keep the order of each sender and alternate between accounts", async () => {
    const [a, b] = people as [TestAccount, TestAccount];
    const own = (sender: TestAccount, n: number): Sent => [
      sender,
      toChannel(room.id, { content: `${sender.id}-${n}` }),
    ];
    const answers = await (
      await behind([own(a, 1), own(a, 2), own(a, 3), own(b, 1), own(b, 2)])
    ).answers();
    const rows = await stored(answers.map(({ body }) => Number(body["id"])));
    expect(rows.map(({ content }) => content)).to.deep.equal(
      [own(a, 1), own(b, 1), own(a, 2), own(b, 2), own(a, 3)].map(
        ([, params]) => params["content"],
      ),
    );
  });

  it("are removed from the queue if the client disconnects while they wait", async () => {
    const [a, b] = people as [TestAccount, TestAccount];
    const content = "nobody listens";
    const { group } = scene.gateway.services;
    const line = await behind([[a, toChannel(room.id)]]);
    const abort = new AbortController();
    const leaving = scene.as(b).send("POST", messagesPath, {
      body: new URLSearchParams({ type: "channel", to: `${room.id}`, topic: "t", content }),
      signal: abort.signal,
    });
    const left = leaving.catch((error: Error) => error.name);
    await waitFor(() => group.waiting === 2, { what: "it waits in line" });
    abort.abort();
    expect(await left).to.equal("AbortError");
    await waitFor(() => group.waiting === 1, { what: "it is taken out" });
    for (const { status } of await line.answers()) expect(status).to.equal(200);
    expect(await scene.db.rows("SELECT FROM messages WHERE content = $1", [content])).to.deep.equal(
      [],
    );
  });

  it("notify a bot's owner of a missing channel as a single message does", async () => {
    const { db, org } = scene;
    const helper = await bot(db, org.member);
    const { events } = await eventsOf(db, org.realm.id, async () =>
      (await behind([[helper, toChannel("gone away")]])).answers(),
    );
    const texts = events.map(({ payload }) => JSON.stringify(payload));
    expect(texts.filter((text) => text.includes("gone away"))).to.have.length(1);
  });

  it("create a conversation and a topic once for the whole batch", async () => {
    const [a, b] = people as [TestAccount, TestAccount];
    const newcomer = await user(scene.db, scene.org.realm);
    const answers = await (
      await behind([
        [a, toUsers([newcomer.id, b.id], { content: "first" })],
        [newcomer, toUsers([b.id, a.id], { content: "second" })],
      ])
    ).answers();
    const rows = await scene.db.rows(
      "SELECT DISTINCT recipient_id FROM messages WHERE id = ANY($1::bigint[])",
      [answers.map(({ body }) => Number(body["id"]))],
    );
    expect(rows).to.have.length(1);
  });

  it("mention the participants of a topic in separate transactions, after earlier messages are written", async () => {
    const [a, b] = people as [TestAccount, TestAccount];
    const topic = "participants";
    const answers = await (
      await behind([
        [a, toChannel(room.id, { topic, content: "here I am" })],
        [b, toChannel(room.id, { topic, content: "@**topic** hear" })],
        [a, toChannel(room.id, { topic, content: "I did" })],
      ])
    ).answers();
    const ids = answers.map(({ body }) => Number(body["id"]));
    expect(ids).to.deep.equal(ids.toSorted((x, y) => x - y));
    const called = await scene.db.rows<{ id: number }>(
      "SELECT user_id AS id FROM user_messages WHERE message_id = $1 AND flags & $2 <> 0",
      [ids[1], flag.topicWildcardMentioned],
    );
    expect(called.map(({ id }) => id)).to.have.members([a.id, b.id]);
    const transactions = await stored(ids);
    expect(new Set(transactions.map(({ sentAt }) => sentAt)).size).to.equal(3);
  });

  it("run separately if the channel's subscribers are being changed, and see the change", async () => {
    const { db, org } = scene;
    const [a, b] = people as [TestAccount, TestAccount];
    const other = await channel(db, org.realm, { inviteOnly: true, subscribers: [a, b] });
    let proceed = () => {};
    const changing = new Promise<void>((resolve) => (proceed = resolve));
    const change = db.transaction(async (tx) => {
      await lockAudiences(tx, [other.id]);
      await changing;
      await tx.rows(
        "UPDATE subscriptions SET active = false WHERE channel_id = $1 AND user_id = $2",
        [other.id, b.id],
      );
    });
    const answers = [a, b, a].map((sender) =>
      scene.as(sender).post(messagesPath, toChannel(other.id)),
    );
    await blocker.untilWaiting(1, "the first of them waits");
    await waitFor(() => scene.gateway.services.group.waiting === 2, { what: "the others wait" });
    const free = people.find(({ id }) => audiencePart(id) !== audiencePart(other.id));
    await send(scene.as(free!), toChannel(room.id));
    proceed();
    await change;
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses).to.deep.equal([200, 400, 200]);
  });

  it("are written once each by two gateways", async () => {
    const { db, org } = scene;
    const second = await startGateway(db);
    const contents = Array.from({ length: 60 }, (_, i) => `both-${i}`);
    const { result: answers, events } = await eventsOf(db, org.realm.id, () =>
      Promise.all(
        contents.map((content, i) =>
          (i % 2 ? second : scene.gateway)
            .as(people[i % people.length] ?? leader)
            .post(messagesPath, toChannel(room.id, { content })),
        ),
      ),
    );
    await second.close();
    for (const { status } of answers) expect(status).to.equal(200);
    const rows = await db.rows<{ content: string }>(
      "SELECT content FROM messages WHERE content LIKE 'both-%'",
    );
    expect(rows.map(({ content }) => content)).to.have.members(contents);
    expect(events.filter(({ type }) => type === "message")).to.have.length(60);
  });

  it("are refused with 503 and a retry hint if too many wait", async () => {
    const narrow = await startGateway(scene.db, { groupBounds: { waiting: 2 } });
    const [a, b] = people as [TestAccount, TestAccount];
    const line = await behind(
      [
        [a, toChannel(room.id)],
        [a, toChannel(room.id)],
      ],
      narrow,
    );
    const turnedAway = await narrow.as(a).post(messagesPath, toChannel(room.id));
    expect(turnedAway.status).to.equal(503);
    expect(turnedAway.body).to.include({ code: "INTERNAL_ERROR" });
    expect(turnedAway.headers.get("retry-after")).to.equal("1");
    const other = narrow.as(b).post(messagesPath, toChannel(room.id));
    expect((await line.pending[1])?.status, "the account has most there").to.equal(503);
    expect((await line.answers()).map(({ status }) => status)).to.deep.equal([200, 503]);
    expect((await other).status).to.equal(200);
    await narrow.close();
  });
});
