import {
  anonymousGroup,
  behindOne,
  bot,
  changeChannel,
  changeOrganization,
  changeSettings,
  channel,
  eventsOf,
  messagesPath,
  organization,
  refused,
  send,
  startGateway,
  subscribe,
  succeeded,
  type Gateway,
  type Params,
  type TestAccount,
  type TestChannel,
  toChannel,
  toUsers,
  unsubscribe,
  useBlocker,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { age, ask, changeRefused, read } from "../../test-support/changing-messages.ts";

interface Upserted {
  readonly id: number;
  readonly upsert_result: string;
}

describe("POST /messages with an upsert key", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let sender: TestAccount;
  let robot: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    sender = await user(db, org.realm);
    robot = await bot(db, sender);
    room = await channel(db, org.realm, { subscribers: [sender, robot, org.owner] });
  });

  const ofRoom = (content: string, more: Params = {}) =>
    toChannel(room.id, { content, upsert_key: "disk", ...more });
  const upsert = async (
    params: Params,
    by: TestAccount = sender,
    gateway: Gateway = scene.gateway,
  ): Promise<Upserted> => {
    const { id, upsert_result } = succeeded(await gateway.as(by).post(messagesPath, params));
    return { id, upsert_result } as unknown as Upserted;
  };
  const contents = async () => (await read(scene, scene.org.owner, room)).map((m) => m["content"]);
  const bindings = () =>
    scene.db.rows<{ version: number | null; message: number }>(
      "SELECT version::int, message_id::int AS message FROM message_upserts WHERE sender_id = ANY($1) ORDER BY 2",
      [[sender.id, robot.id]],
    );

  it("sends a message, and edits it with the next request that has the key", async () => {
    const first = await upsert(ofRoom("disk full"));
    expect(first.upsert_result).to.equal("created");
    const { result, events } = await eventsOf(scene.db, scene.org.realm.id, () =>
      upsert(ofRoom(`disk fine @**${scene.org.owner.fullName}**`, { topic: "elsewhere" })),
    );
    expect(result).to.deep.equal({ id: first.id, upsert_result: "edited" });
    expect(events.map(({ type }) => type)).to.deep.equal(["update_message"]);
    expect(events[0]?.payload).to.deep.include({ orig_content: "disk full", user_id: sender.id });
    expect(events[0]?.userData?.[String(scene.org.owner.id)]).to.deep.include({
      flags: ["mentioned"],
    });
    const [message, ...more] = await read(scene, scene.org.owner, room);
    expect(message).to.include({ id: first.id, subject: "lunch" });
    expect(message?.["edit_history"]).to.have.length(1);
    expect(more).to.deep.equal([]);
    expect(await upsert(ofRoom(`disk fine @**${scene.org.owner.fullName}**`))).to.deep.equal({
      id: first.id,
      upsert_result: "unchanged",
    });
    expect((await read(scene, scene.org.owner, room))[0]?.["edit_history"]).to.have.length(1);
  });

  it("has no upsert_result without a key", async () => {
    const { body } = await scene.as(sender).post(messagesPath, toChannel(room.id));
    expect(body).to.have.all.keys("result", "msg", "id", "automatic_new_visibility_policy");
  });

  it("edits the message in the topic and the channel to which people have moved it", async () => {
    const { db, org } = scene;
    const other = await channel(db, org.realm, { subscribers: [sender, org.owner] });
    const { id } = await upsert(ofRoom("one"));
    expect((await ask(scene, org.owner, id, { topic: "moved" })).status).to.equal(200);
    expect(await upsert(ofRoom("two"))).to.deep.equal({ id, upsert_result: "edited" });
    expect((await read(scene, org.owner, room))[0]).to.include({ subject: "moved" });
    expect((await ask(scene, org.owner, id, { stream_id: other.id })).status).to.equal(200);
    expect(await upsert(ofRoom("three"))).to.deep.equal({ id, upsert_result: "edited" });
    expect((await read(scene, org.owner, other))[0]).to.include({ id, content: "three" });
  });

  it("keeps keys apart by sender, channel and conversation", async () => {
    const { db, org } = scene;
    const other = await channel(db, org.realm, { subscribers: [sender] });
    const requests: ReadonlyArray<readonly [TestAccount, Params]> = [
      [sender, ofRoom("a")],
      [robot, ofRoom("b")],
      [org.owner, ofRoom("c")],
      [sender, toChannel(other.id, { content: "d", upsert_key: "disk" })],
      [sender, toUsers([org.owner.id], { content: "e", upsert_key: "disk" })],
      [sender, toUsers([org.owner.id, org.member.id], { content: "f", upsert_key: "disk" })],
      [org.owner, toUsers([sender.id], { content: "g", upsert_key: "disk" })],
      [sender, ofRoom("h", { upsert_key: "Disk" })],
    ];
    const ids = new Map<number, number>();
    for (const [i, [by, params]] of requests.entries()) {
      const { id, upsert_result } = await upsert(params, by);
      expect(upsert_result).to.equal("created");
      ids.set(i, id);
    }
    for (const [i, [by, params]] of requests.entries())
      expect(await upsert({ ...params, content: `again ${i}` }, by)).to.deep.equal({
        id: ids.get(i),
        upsert_result: "edited",
      });
    expect(new Set(ids.values()).size).to.equal(requests.length);
    // The order in which participants are named, and naming the sender, make no other conversation.
    const named = toUsers([org.member.id, sender.id, org.owner.id], { upsert_key: "disk" });
    expect((await upsert(named)).id).to.equal(ids.get(5));
    const byName = toChannel(room.name.toUpperCase(), { content: "x", upsert_key: "disk" });
    expect((await upsert(byName)).id).to.equal(ids.get(0));
  });

  it("ignores versions that are not above the last one that was applied", async () => {
    const { id } = await upsert(ofRoom("v5", { upsert_version: 5 }));
    const stale = { id, upsert_result: "stale" };
    for (const upsert_version of [0, 4, 5]) {
      const { result, events } = await eventsOf(scene.db, scene.org.realm.id, () =>
        upsert(ofRoom("late", { upsert_version })),
      );
      expect(result).to.deep.equal(stale);
      expect(events).to.deep.equal([]);
    }
    expect(await upsert(ofRoom("v6", { upsert_version: 6 }))).to.include({
      upsert_result: "edited",
    });
    expect(await upsert(ofRoom("v6", { upsert_version: 8 }))).to.include({
      upsert_result: "unchanged",
    });
    expect(await upsert(ofRoom("late", { upsert_version: 7 }))).to.deep.equal(stale);
    expect(await upsert(ofRoom("always"))).to.include({ upsert_result: "edited" });
    expect(await upsert(ofRoom("late", { upsert_version: 8 }))).to.deep.equal(stale);
    expect(await bindings()).to.deep.equal([{ version: 8, message: id }]);
    const latest = Number.MAX_SAFE_INTEGER;
    await upsert(ofRoom("last", { upsert_version: latest }));
    expect(await upsert(ofRoom("last", { upsert_version: latest }))).to.deep.equal(stale);
    expect(await contents()).to.deep.equal(["last"]);
  });

  it("accepts any version if none was applied, and remains stale if the message is gone", async () => {
    const { id } = await upsert(ofRoom("one"));
    expect(await upsert(ofRoom("two", { upsert_version: 0 }))).to.deep.equal({
      id,
      upsert_result: "edited",
    });
    await scene.as(scene.org.owner).delete(`/api/v1/messages/${id}`);
    expect(await upsert(ofRoom("late", { upsert_version: 0 }))).to.deep.equal({
      id,
      upsert_result: "stale",
    });
    expect(await contents()).to.deep.equal([]);
  });

  const removals: Readonly<Record<string, (id: number) => Promise<unknown>>> = {
    "is deleted": (id) => scene.as(scene.org.owner).delete(`/api/v1/messages/${id}`),
    "was moved to a channel that the sender cannot see": async (id) => {
      const { db, org } = scene;
      const hidden = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
      return ask(scene, org.owner, id, { stream_id: hidden.id });
    },
    "was moved to a channel that is archived": async (id) => {
      const { db, org } = scene;
      const archived = await channel(db, org.realm, { subscribers: [sender, org.owner] });
      await ask(scene, org.owner, id, { stream_id: archived.id });
      await changeChannel(db, archived, { isArchived: true });
    },
  };
  for (const [what, remove] of Object.entries(removals))
    it(`sends and binds a new message if the old one ${what}`, async () => {
      const { id } = await upsert(ofRoom("old", { upsert_version: 1 }));
      await remove(id);
      const next = await upsert(ofRoom("new", { upsert_version: 2 }));
      expect(next.upsert_result).to.equal("created");
      expect(next.id).to.be.greaterThan(id);
      expect(await upsert(ofRoom("newer"))).to.deep.equal({
        id: next.id,
        upsert_result: "edited",
      });
      expect(await upsert(ofRoom("late", { upsert_version: 2 }))).to.include({
        upsert_result: "stale",
      });
      expect(await bindings()).to.deep.equal([{ version: 2, message: next.id }]);
    });

  it("has no time limit for bots; after the time limit of edits, people send a new message", async () => {
    for (const by of [robot, sender]) {
      const { id } = await upsert(ofRoom("old"), by);
      await age(scene, id, 100_000);
      const next = await upsert(ofRoom("new"), by);
      if (by === robot) expect(next).to.deep.equal({ id, upsert_result: "edited" });
      else {
        expect(next.upsert_result).to.equal("created");
        expect(next.id).not.to.equal(id);
      }
    }
    // PATCH has the limit for bots, too.
    const { id } = await upsert(ofRoom("again"), robot);
    await age(scene, id, 100_000);
    await changeRefused(scene, robot, id, { content: "no" });
  });

  it("sends a new message if the old one is a poll, whose content cannot be edited", async () => {
    const { id } = await upsert(ofRoom("/poll Cake?\nyes\nno"));
    const next = await upsert(ofRoom("no cake"));
    expect(next.upsert_result).to.equal("created");
    expect(next.id).not.to.equal(id);
  });

  it("sends and binds a new message while the organization forbids editing", async () => {
    const { db, org } = scene;
    const withoutEditing = async <T>(work: () => Promise<T>): Promise<T> => {
      await changeOrganization(db, org.realm, { allowMessageEditing: false });
      try {
        return await work();
      } finally {
        await changeOrganization(db, org.realm, { allowMessageEditing: true });
      }
    };
    for (const by of [robot, sender]) {
      const { id } = await upsert(ofRoom("old"), by);
      const next = await withoutEditing(() => upsert(ofRoom("new"), by));
      expect(next.upsert_result).to.equal("created");
      expect(next.id).to.be.greaterThan(id);
      expect(await upsert(ofRoom("newer"), by)).to.deep.equal({
        id: next.id,
        upsert_result: "edited",
      });
    }
    expect(await contents()).to.deep.equal(["old", "newer", "old", "newer"]);
  });

  it("does not change the message or the key if the content or the posting is refused", async () => {
    const { db, org } = scene;
    const { id } = await upsert(ofRoom("one", { upsert_version: 1 }));
    const again = (content: string) => () =>
      scene.as(sender).post(messagesPath, ofRoom(content, { upsert_version: 2 }));
    await refused(db, again("  \n "), "BAD_REQUEST");
    const { canSendMessageGroupId } = (await db.prisma.channel.findUnique({
      where: { id: room.id },
    }))!;
    const owners = await db.transaction((tx) => anonymousGroup(tx, org.realm.id, [org.owner.id]));
    await changeChannel(db, room, { canSendMessageGroupId: owners });
    await refused(db, again("two"), "BAD_REQUEST");
    await changeChannel(db, room, { canSendMessageGroupId });
    expect(await contents()).to.deep.equal(["one"]);
    expect(await bindings()).to.deep.equal([{ version: 1, message: id }]);
    expect(await upsert(ofRoom("two", { upsert_version: 2 }))).to.deep.equal({
      id,
      upsert_result: "edited",
    });
  });

  it("is refused and binds nothing if the first message is refused", async () => {
    const { db, org } = scene;
    const closed = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
    const params = toChannel(closed.id, { upsert_key: "disk" });
    await refused(db, () => scene.as(sender).post(messagesPath, params), "BAD_REQUEST");
    await subscribe(db, closed, sender);
    const { id } = await upsert(params);
    await unsubscribe(db, closed, sender);
    await refused(db, () => scene.as(sender).post(messagesPath, params), "BAD_REQUEST");
    await subscribe(db, closed, sender);
    expect((await upsert({ ...params, content: "back" })).id).to.equal(id);
  });

  it("rejects unusable keys and versions", async () => {
    const bad: readonly Params[] = [
      { upsert_key: "" },
      { upsert_key: "k".repeat(201) },
      { upsert_key: "a\u0007b" },
      { upsert_key: "a\u0000" },
      { upsert_key: "a\n" },
      { upsert_key: undefined, upsert_version: 1 },
      { upsert_version: -1 },
      { upsert_version: "1.5" },
      { upsert_version: "x" },
      { upsert_version: 2 ** 53 },
    ];
    for (const more of bad)
      await refused(
        scene.db,
        () => scene.as(sender).post(messagesPath, ofRoom("no", more)),
        "BAD_REQUEST",
      );
    for (const upsert_key of ["k".repeat(200), "🚨".repeat(200), " ", "0", '"a,b"'])
      expect(await upsert(ofRoom("yes", { upsert_key }))).to.include({ upsert_result: "created" });
  });

  it("does not let accounts of other organizations edit", async () => {
    const { id } = await upsert(ofRoom("ours"));
    const other = await organization(scene.db);
    await refused(
      scene.db,
      () => scene.as(other.owner).post(messagesPath, ofRoom("theirs")),
      "STREAM_DOES_NOT_EXIST",
    );
    expect((await upsert(ofRoom("ours still"))).id).to.equal(id);
  });

  it("keeps keys for 30 days after their last use", async () => {
    const { db } = scene;
    const { id } = await upsert(ofRoom("one", { upsert_version: 9 }));
    const since = (days: number) =>
      db.rows("UPDATE message_upserts SET used_at = now() - make_interval(days => $1)", [days]);
    await since(29);
    expect((await upsert(ofRoom("two"))).id).to.equal(id);
    const [used] = await db.rows<{ now: boolean }>(
      "SELECT used_at > now() - interval '1 day' AS now FROM message_upserts WHERE sender_id = $1",
      [sender.id],
    );
    expect(used?.now).to.equal(true);
    await since(31);
    const next = await upsert(ofRoom("three", { upsert_version: 1 }));
    expect(next.upsert_result).to.equal("created");
    expect(await bindings()).to.deep.equal([{ version: 1, message: next.id }]);
  });

  it("keeps 10,000 keys of a sender, and deletes the least recently used one", async () => {
    const { db } = scene;
    const { id } = await upsert(ofRoom("oldest"));
    await db.rows("UPDATE message_upserts SET used_at = now() - interval '10 days'");
    await db.rows(
      `INSERT INTO message_upserts (sender_id, recipient_id, key, message_id, used_at)
       SELECT $1, $2, 'k' || n, 1, now() - interval '9 days' + n * interval '1 second'
       FROM generate_series(1, 9999) n`,
      [sender.id, room.recipientId],
    );
    const count = async () =>
      (
        await db.rows<{ count: number }>(
          "SELECT count(*)::int AS count FROM message_upserts WHERE sender_id = $1",
          [sender.id],
        )
      )[0]?.count;
    expect(await count()).to.equal(10_000);
    await upsert(ofRoom("another", { upsert_key: "k10000" }));
    expect(await count()).to.equal(10_000);
    const next = await upsert(ofRoom("oldest is gone"));
    expect(next).to.include({ upsert_result: "created" });
    expect(next.id).not.to.equal(id);
    expect(await count()).to.equal(10_000);
  });

  describe("at the same time", () => {
    const lead = (others: ReadonlyArray<() => Promise<Upserted>>) =>
      behindOne(
        scene.gateway,
        blocker,
        () => send(scene.as(scene.org.owner), toChannel(room.id, { content: "leader" })),
        others,
      );

    it("sends messages for unbound keys in one transaction, and edits afterwards", async () => {
      const texts = ["a", "b", "c"];
      const line = await lead([
        ...texts.map((key) => () => upsert(ofRoom(key, { upsert_key: key }))),
        () => upsert(ofRoom("a again", { upsert_key: "a" })),
        () => upsert(ofRoom("b again", { upsert_key: "b" })),
      ]);
      const answers = await line.answers();
      expect(answers.map((answer) => answer.upsert_result)).to.deep.equal([
        ...texts.map(() => "created"),
        "edited",
        "edited",
      ]);
      expect(answers.slice(3).map(({ id }) => id)).to.deep.equal([answers[0]?.id, answers[1]?.id]);
      const times = await scene.db.rows<{ times: number }>(
        "SELECT count(DISTINCT sent_at)::int AS times FROM messages WHERE id = ANY($1)",
        [answers.map(({ id }) => id)],
      );
      expect(times[0]?.times).to.equal(1);
      expect(await contents()).to.deep.equal(["leader", "a again", "b again", "c"]);
    });

    it("sends one message for many concurrent requests at two gateways", async () => {
      const other = await startGateway(scene.db);
      const gateways = [scene.gateway, other];
      const versions = Array.from({ length: 40 }, (_, n) => n + 1);
      const answers = await Promise.all(
        versions.map((upsert_version) =>
          upsert(
            ofRoom(`v${upsert_version}`, { upsert_version }),
            robot,
            gateways[upsert_version % 2],
          ),
        ),
      );
      await other.close();
      expect(new Set(answers.map(({ id }) => id)).size).to.equal(1);
      const created = answers.filter(({ upsert_result }) => upsert_result === "created");
      expect(created).to.have.length(1);
      expect(await contents()).to.deep.equal(["v40"]);
      expect(await bindings()).to.deep.equal([{ version: 40, message: answers[0]?.id }]);
    });

    it("waits for another gateway that sends for the key, and edits its message", async () => {
      const other = await startGateway(scene.db);
      await blocker.lock("LOCK TABLE event_head IN EXCLUSIVE MODE");
      const first = upsert(ofRoom("first"), sender, other);
      await blocker.untilWaiting(1, "the first one waits for the log");
      const second = upsert(ofRoom("second"));
      await blocker.untilWaiting(2, "the second one waits for the key");
      // Requests with other keys do not wait behind it.
      const free = upsert(ofRoom("free", { upsert_key: "free" }));
      await blocker.untilWaiting(3, "another one waits for the log");
      await blocker.release();
      expect(await first).to.include({ upsert_result: "created" });
      expect(await second).to.deep.equal({ id: (await first).id, upsert_result: "edited" });
      expect(await free).to.include({ upsert_result: "created" });
      await other.close();
    });

    it("sends a new message if the bound one is deleted while the edit waits for it", async () => {
      const { id } = await upsert(ofRoom("one"));
      await blocker.lock("LOCK TABLE event_head IN EXCLUSIVE MODE");
      const deletion = scene.as(scene.org.owner).delete(`/api/v1/messages/${id}`);
      await blocker.untilWaiting(1, "the deletion waits for the log");
      const next = upsert(ofRoom("two"));
      await blocker.untilWaiting(2, "the edit waits, too");
      await blocker.release();
      expect((await deletion).status).to.equal(200);
      const answer = await next;
      expect(answer.upsert_result).to.equal("created");
      expect(answer.id).not.to.equal(id);
      expect(await contents()).to.deep.equal(["two"]);
    });
  });

  it("returns the visibility policy of the topic if it sends a message", async () => {
    const { db, org } = scene;
    const fresh = await user(db, org.realm);
    await changeSettings(db, fresh, { automatically_follow_topics_policy: 1 });
    await subscribe(db, room, fresh);
    const ask = () => scene.as(fresh).post(messagesPath, ofRoom("x", { topic: "own" }));
    expect(succeeded(await ask())).to.include({
      upsert_result: "created",
      automatic_new_visibility_policy: 3,
    });
    expect(succeeded(await ask())).to.have.all.keys("result", "msg", "id", "upsert_result");
  });
});
