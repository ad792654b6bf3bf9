import { deliverAll } from "@carillon/domain";
import { silentLogger } from "@carillon/kit";
import {
  bot,
  changeChannel,
  channel,
  channelMessage,
  deactivateUser,
  deliver,
  deliverNow,
  directMessage,
  eventsOf,
  inChannel,
  kindsOf,
  makeDue,
  messagesOf,
  schedule,
  scheduledMessagesPath,
  send,
  storedRow,
  succeeded,
  type Params,
  type TestAccount,
  type TestChannel,
  testSite,
  toChannel,
  toUsers,
  unsubscribe,
  useBlocker,
  user,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

const reply = [{ kind: "reply" }];
const resolved = [{ kind: "topic_resolved" }];

/** Rounds of the race; `CARILLON_RACE_ROUNDS` sets more. */
const rounds = Number(process.env["CARILLON_RACE_ROUNDS"] ?? 25);

describe("the conditions of a due message", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let sender: TestAccount;
  let friend: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    [sender, friend] = [await user(db, org.realm), await user(db, org.realm)];
    room = await channel(db, org.realm, { subscribers: [sender, friend] });
  });
  afterEach(() => scene.db.rows("DELETE FROM scheduled_messages WHERE NOT delivered"));

  const plan = (unless: unknown, more: Params = {}, by = sender) =>
    schedule(scene.as(by), channelMessage(room.id, { unless, ...more }));
  const outcomeOf = async (id: number) => {
    const row = await storedRow(scene.db, id);
    if (row) return row.delivered ? "sent" : row.failed ? "failed" : "pending";
    const [kept] = await scene.db.rows<{ message: number | null }>(
      "SELECT message_id::int AS message FROM withheld_messages WHERE scheduled_message_id = $1",
      [id],
    );
    return kept ? "withheld" : "gone";
  };
  const outcomes = async (ids: readonly number[]) => {
    await deliverNow(scene.db, scene.org.realm, ids);
    return Promise.all(ids.map(outcomeOf));
  };
  const say = (by: TestAccount, topic: string, content = "here") =>
    send(scene.as(by), toChannel(room.id, { topic, content }));

  it("withhold it if another person has replied in its topic since it was scheduled", async () => {
    await say(friend, "before");
    const before = await plan(reply, { topic: "before" });
    const [own, robot, other, folded, done] = [
      await plan(reply, { topic: "own" }),
      await plan(reply, { topic: "robot" }),
      await plan(reply, { topic: "other" }),
      await plan(reply, { topic: "Folded ÄÖ" }),
      await plan(reply, { topic: "done" }),
    ];
    const helper = await bot(scene.db, friend);
    await say(sender, "own");
    await say(helper, "robot");
    await say(friend, "other topic");
    await say(friend, "fOLDED äö");
    await say(friend, "✔ done");
    expect(await outcomes([before, own, robot, other, folded, done])).to.deep.equal([
      "sent",
      "sent",
      "sent",
      "sent",
      "withheld",
      "withheld",
    ]);
  });

  it("count only the named accounts for a reply, bots too", async () => {
    const helper = await bot(scene.db, friend);
    const by = (id: number) => [{ kind: "reply", by: [id] }];
    const ids = [
      await plan(by(helper.id), { topic: "a" }),
      await plan(by(friend.id), { topic: "a" }),
      await plan([...by(friend.id), ...by(helper.id)], { topic: "a" }),
    ];
    const answer = await say(helper, "a");
    expect(await outcomes(ids)).to.deep.equal(["withheld", "sent", "withheld"]);
    const rows = await scene.db.rows<{ message: number; condition: unknown }>(
      "SELECT message_id::int AS message, condition FROM withheld_messages WHERE sender_id = $1 ORDER BY scheduled_message_id",
      [sender.id],
    );
    expect(rows).to.deep.equal([
      { message: answer, condition: by(helper.id)[0] },
      { message: answer, condition: by(helper.id)[0] },
    ]);
  });

  it("see replies in direct conversations of the same people only", async () => {
    const third = await user(scene.db, scene.org.realm);
    const planned = (to: readonly TestAccount[]) =>
      schedule(
        scene.as(sender),
        directMessage(
          to.map(({ id }) => id),
          { unless: reply },
        ),
      );
    const [both, all, self] = [
      await planned([friend]),
      await planned([friend, third]),
      await planned([sender]),
    ];
    await send(scene.as(friend), toUsers([sender.id]));
    await send(scene.as(sender), toUsers([sender.id, friend.id, third.id]));
    expect(await outcomes([both, all, self])).to.deep.equal(["withheld", "sent", "sent"]);
  });

  it("withhold it if its topic is resolved and no message is in the unresolved topic", async () => {
    const long = "x".repeat(60);
    await say(friend, "✔ done");
    await say(friend, "✔ both");
    await say(friend, "both");
    await say(friend, "open");
    await say(friend, `✔ ${long}`);
    const topics = ["done", "DONE", "both", "open", "none", long];
    const ids: number[] = [];
    for (const topic of topics) ids.push(await plan(resolved, { topic }));
    expect(await outcomes(ids)).to.deep.equal([
      "withheld",
      // The message before it was not sent.
      "withheld",
      "sent",
      "sent",
      "sent",
      "withheld",
    ]);
  });

  it("remove the message without a notice; withheld_messages events go only to queues that name the type", async () => {
    const id = await plan(reply, { content: "Anybody?" });
    const answer = await say(friend, "lunch");
    const queues = {
      all: { account: sender },
      usual: { account: sender, params: { event_types: ["scheduled_messages", "message"] } },
      named: { account: sender, params: { event_types: ["withheld_messages"] } },
      friend: { account: friend, params: { event_types: ["withheld_messages"] } },
    };
    const told = await watch(scene.gateway, queues, () =>
      deliverNow(scene.db, scene.org.realm, [id]),
    );
    expect(kindsOf(told.all)).to.deep.equal(["scheduled_messages/remove"]);
    expect(kindsOf(told.usual)).to.deep.equal(["scheduled_messages/remove"]);
    expect(told.friend).to.deep.equal([]);
    const [event, ...more] = told.named;
    expect(more).to.deep.equal([]);
    expect(event).to.include({ type: "withheld_messages", op: "add" });
    const listed = succeeded(await scene.as(sender).get(`${scheduledMessagesPath}/withheld`));
    expect(event?.["withheld_messages"]).to.deep.equal(listed["withheld_messages"]);
    expect(event?.["withheld_messages"]).to.containSubset([
      { scheduled_message_id: id, content: "Anybody?", message_id: answer },
    ]);
    const [failures] = await scene.db.rows(
      "SELECT count(*)::int AS count FROM delivery_failures WHERE scheduled_message_id = $1",
      [id],
    );
    expect(failures).to.deep.equal({ count: 0 });
    expect(await messagesOf(scene.as(friend), inChannel(room.id))).to.have.length(1);
  });

  it("are checked before lateness and permissions, but after a deactivated sender", async () => {
    const { db, org } = scene;
    const late = await plan(reply, { topic: "late" });
    await say(friend, "late");
    await deliverNow(db, org.realm, [late], 3_600);
    expect(await outcomeOf(late)).to.equal("withheld");

    const archived = await plan(reply, { topic: "archived" });
    const unanswered = await plan(reply, { topic: "unanswered" });
    await say(friend, "archived");
    await changeChannel(db, room, { isArchived: true });
    expect(await outcomes([archived, unanswered])).to.deep.equal(["withheld", "failed"]);
    await changeChannel(db, room, { isArchived: false });

    const gone = await plan(reply, { topic: "gone" });
    await say(friend, "gone");
    await deactivateUser(db, sender);
    expect(await outcomes([gone])).to.deep.equal(["failed"]);
  });

  it("are not checked if the sender may no longer read the channel", async () => {
    const { db, org } = scene;
    const closed = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [sender, friend],
    });
    const planned = () => schedule(scene.as(sender), channelMessage(closed.id, { unless: reply }));
    const [onTime, late] = [await planned(), await planned()];
    await send(scene.as(friend), toChannel(closed.id));
    await unsubscribe(db, closed, sender);
    expect(await outcomes([onTime])).to.deep.equal(["failed"]);
    await deliverNow(db, org.realm, [late], 3_600);
    expect(await outcomeOf(late)).to.equal("failed");
  });

  it("see earlier messages of the same second, but not later ones", async () => {
    const { db, org } = scene;
    const plain = (by: TestAccount, topic: string) =>
      schedule(scene.as(by), channelMessage(room.id, { topic }));
    const ids = [
      await plain(friend, "a"),
      await plan(reply, { topic: "a" }),
      await plan(reply, { topic: "b" }),
      await plain(friend, "b"),
      await plain(sender, "c"),
      await plan(reply, { topic: "c" }),
      // Both wait for each other: the first is sent, and is the reply to the second.
      await plan(reply, { topic: "d" }),
      await plan(reply, { topic: "D" }, friend),
      await plain(friend, "✔ e"),
      await plan(resolved, { topic: "e" }),
    ];
    expect(await outcomes(ids)).to.deep.equal([
      "sent",
      "withheld",
      "sent",
      "sent",
      "sent",
      "sent",
      "sent",
      "withheld",
      "sent",
      "withheld",
    ]);
    const [event] = (
      await eventsOf(db, org.realm.id, async () => {
        await deliver(db, org.realm);
      })
    ).events;
    expect(event).to.equal(undefined);
  });

  it("see the messages of the previous batch, although batches are prepared while others are written", async () => {
    const { db, org } = scene;
    const ids: number[] = [];
    for (let n = 0; n < 6; n++) {
      ids.push(await schedule(scene.as(friend), channelMessage(room.id, { topic: `t${n}` })));
      ids.push(await plan(reply, { topic: `t${n}` }));
    }
    for (const id of ids) await makeDue(db, id, -5);
    const options = { db, site: testSite(), log: silentLogger, batch: 2 };
    await deliverAll(options, org.realm.id, { maxBatches: 50 });
    expect(await Promise.all(ids.map(outcomeOf))).to.deep.equal(
      ids.map((_, i) => (i % 2 ? "withheld" : "sent")),
    );
  });

  it("do not let a withheld message start a topic for a later message", async () => {
    const { db, org } = scene;
    const owned = await channel(db, org.realm, { subscribers: [org.owner, friend] });
    await changeChannel(db, owned, { canCreateTopicGroupId: org.groups["role:owners"] });
    const first = await schedule(
      scene.as(org.owner),
      channelMessage(owned.id, { topic: "new", unless: [{ kind: "check_in" }] }),
    );
    succeeded(await scene.as(org.owner).post(`${scheduledMessagesPath}/${first}/check_in`));
    await db.rows(
      `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content, rendered_content,
         client_id, deliver_at, read_by_sender)
       SELECT realm_id, $2, recipient_id, channel_id, topic, 'too', '', client_id, deliver_at, false
       FROM scheduled_messages WHERE id = $1`,
      [first, friend.id],
    );
    const [second] = await db.rows<{ id: number }>(
      "SELECT id::int FROM scheduled_messages WHERE content = 'too'",
    );
    expect(await outcomes([first, second?.id ?? 0])).to.deep.equal(["withheld", "failed"]);
  });

  it("hold for a reply that commits while the delivery waits for the row", async () => {
    const id = await plan(reply);
    await makeDue(scene.db, id, -1);
    await blocker.lock("SELECT FROM scheduled_messages WHERE id = $1 FOR UPDATE", [id]);
    const delivering = deliver(scene.db, scene.org.realm);
    await blocker.untilWaiting(1, "the delivery waits for the row");
    await say(friend, "lunch");
    await blocker.release();
    await delivering;
    expect(await outcomeOf(id)).to.equal("withheld");
  });

  it("leave no message both sent and withheld, deleted, edited or moved, however requests race the delivery", async () => {
    const { db, org } = scene;
    const path = (id: number, more = "") => `${scheduledMessagesPath}/${id}${more}`;
    const edit = (id: number) => scene.as(sender).patch(path(id), { unless: [] });
    const remove = (id: number) => scene.as(sender).delete(path(id));
    const asked = [
      (id: number) => scene.as(sender).post(path(id, "/check_in")),
      (id: number) => scene.as(friend).post(path(id, "/check_in")),
      edit,
      edit,
      remove,
      remove,
    ];
    for (let round = 0; round < rounds; round++) {
      const unless = [
        { kind: "check_in", by: [friend.id], ...(round % 2 ? { interval: 600 } : {}) },
        ...reply,
      ];
      const content = `race ${round}`;
      const id = await plan(unless, { topic: `race ${round}`, content });
      await makeDue(db, id, -1);
      const ask = asked[round % asked.length] ?? edit;
      const [answer] = await Promise.all([ask(id), deliver(db, org.realm)]);
      const left = await outcomeOf(id);
      // Where the edit won, the message is due again.
      await deliver(db, org.realm);
      const all = await messagesOf(scene.as(sender), inChannel(room.id));
      const sent = all.filter((message) => message.content === content).length;
      const what = `round ${round}: answered ${answer.text}, then ${left}`;
      const done = answer.status === 200;
      if (ask === edit) expect(sent, what).to.equal(1);
      else if (ask === remove) expect([left, sent <= 1], what).to.deep.equal(["gone", true]);
      else if (!done) expect(left, what).to.equal("sent");
      else expect(left, what).to.equal(round % 2 ? "pending" : "withheld");
      if (left === "pending" || left === "withheld") expect(sent, what).to.equal(0);
      await db.rows("DELETE FROM scheduled_messages WHERE id = $1", [id]);
    }
  });
});
