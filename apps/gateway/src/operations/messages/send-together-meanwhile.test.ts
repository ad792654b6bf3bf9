import { roles } from "@carillon/contract";
import {
  anonymousGroup,
  behindOne,
  changeChannel,
  changeSubscription,
  channel,
  deactivateUser,
  eventsOf,
  messagesPath,
  send,
  snapshotOf,
  startGateway,
  succeeded,
  toChannel,
  user,
  useBlocker,
  useScene,
  waitFor,
  type Answer,
  type Gateway,
  type Params,
  type TestAccount,
  type TestChannel,
  type ReceivedEvent,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Batched messages: changes while they wait", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let leader: TestAccount;
  let room: TestChannel;

  before(async () => {
    const { db, org } = scene;
    leader = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [leader] });
  });

  const behind = (others: ReadonlyArray<() => Promise<Answer>>, gateway = scene.gateway) =>
    behindOne(gateway, blocker, () => send(gateway.as(leader), toChannel(room.id)), others);
  const sending =
    (sender: TestAccount, params: Params, gateway: Gateway = scene.gateway) =>
    () =>
      gateway.as(sender).post(messagesPath, params);
  const people = (count: number) =>
    Promise.all(Array.from({ length: count }, () => user(scene.db, scene.org.realm)));

  it("are refused only if their own senders have lost a permission", async () => {
    const { db, org } = scene;
    const [staying, leaving, gone, guest, barred, late] = (await people(6)) as [
      TestAccount,
      TestAccount,
      TestAccount,
      TestAccount,
      TestAccount,
      TestAccount,
    ];
    const closed = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [staying, leaving],
    });
    const [open, owners, archived] = await Promise.all([
      channel(db, org.realm),
      channel(db, org.realm, { subscribers: [barred] }),
      channel(db, org.realm, { subscribers: [late] }),
    ]);
    const sent: ReadonlyArray<readonly [TestAccount, TestChannel]> = [
      [staying, closed],
      [leaving, closed],
      [gone, open],
      [guest, open],
      [barred, owners],
      [late, archived],
      [staying, open],
    ];
    const line = await behind(
      sent.map(([sender, { id }], i) =>
        sending(sender, toChannel(id, { content: `meanwhile ${i}` })),
      ),
    );
    await changeSubscription(db, closed, leaving, { active: false });
    await deactivateUser(db, gone);
    await db.prisma.user.update({ where: { id: guest.id }, data: { role: roles.guest } });
    const nobody = await db.transaction((tx) => anonymousGroup(tx, org.realm.id, [org.owner.id]));
    await changeChannel(db, owners, { canSendMessageGroupId: nobody });
    await changeChannel(db, archived, { isArchived: true });

    const answers = await line.answers();
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 400, 401, 400, 400, 400, 200]);
    const stored = await db.rows<{ content: string }>(
      "SELECT content FROM messages WHERE content LIKE 'meanwhile %' ORDER BY id",
    );
    expect(stored.map(({ content }) => content)).to.deep.equal(["meanwhile 0", "meanwhile 6"]);
  });

  it("give each sender's queue its own local_message_id", async () => {
    const { db, org } = scene;
    const senders = await people(3);
    const shared = await channel(db, org.realm, { subscribers: senders });
    const queues = await Promise.all(
      senders.map((sender) => snapshotOf(scene.as(sender), [], { event_types: ["message"] })),
    );
    const line = await behind(
      senders.map((sender, i) =>
        sending(
          sender,
          toChannel(shared.id, { queue_id: queues[i]?.["queue_id"], local_id: `${i}.01` }),
        ),
      ),
    );
    const ids = (await line.answers()).map(({ body }) => Number(body["id"]));
    for (const [i, sender] of senders.entries()) {
      const { queue_id, last_event_id } = queues[i] ?? {};
      const poll = { queue_id, last_event_id, dont_block: true };
      const { events } = succeeded(await scene.as(sender).get("/api/v1/events", poll));
      const received = events as ReceivedEvent[];
      expect(received.map((event) => event["local_message_id"])).to.deep.equal(
        senders.map((_, n) => (n === i ? `${i}.01` : undefined)),
      );
      expect(received.map((event) => (event["message"] as { id: number }).id)).to.deep.equal(ids);
    }
  });

  it("split messages to thousands of receivers into transactions by number of copies, in order", async () => {
    const { db, org } = scene;
    const [a, b] = (await people(2)) as [TestAccount, TestAccount];
    // The row's counter decides; creating this many accounts would take seconds.
    const row = { subscriberCount: 6_000 };
    const large = await channel(db, org.realm, { subscribers: [a, b], row });
    const small = await channel(db, org.realm, { subscribers: [a, b] });
    const order = [large, small, large, small].map(({ id }) => id);
    const line = await behind(
      order.map((id, i) => sending(i % 2 ? b : a, toChannel(id, { content: `crowd ${i}` }))),
    );
    for (const { status, text } of await line.answers()) expect(status, text).to.equal(200);
    const sent = await db.rows<{ content: string; at: string; copies: number }>(
      `SELECT m.content, m.sent_at::text AS at,
         (SELECT count(*)::int FROM user_messages um WHERE um.message_id = m.id) AS copies
       FROM messages m WHERE m.content LIKE 'crowd %' ORDER BY m.id`,
    );
    expect(sent.map(({ content, copies }) => [content, copies])).to.deep.equal(
      order.map((_, i) => [`crowd ${i}`, 2]),
    );
    const transactions = [...new Set(sent.map(({ at }) => at))];
    expect(sent.map(({ at }) => transactions.indexOf(at))).to.deep.equal([0, 0, 1, 1]);
  });

  it("keep the order of each sender over two gateways, with events in the order of IDs", async () => {
    const { db, org } = scene;
    const other = await startGateway(db);
    const [a, b] = (await people(2)) as [TestAccount, TestAccount];
    const wait = (gateway: Gateway, count: number) =>
      waitFor(() => gateway.services.group.waiting === count, { what: "it waits in line" });
    const { events } = await eventsOf(db, org.realm.id, async () => {
      const line = await behind([]);
      const leading = send(other.as(leader), toChannel(room.id));
      await blocker.untilWaiting(2, "both gateways wait for the log");
      const answers: Array<Promise<Answer>> = [];
      for (let n = 0; n < 4; n++)
        for (const [i, gateway] of [scene.gateway, other].entries()) {
          for (const sender of [a, b])
            answers.push(
              sending(sender, toChannel(room.id, { content: `${i}-${sender.id}-${n}` }), gateway)(),
            );
          await wait(gateway, 2 * (n + 1));
        }
      await line.answers();
      await leading;
      for (const { status } of await Promise.all(answers)) expect(status).to.equal(200);
    });
    await other.close();
    const received = events.flatMap(({ type, payload }) =>
      type === "message" ? [payload["message"] as { id: number; content: string }] : [],
    );
    for (const i of [0, 1])
      for (const { id } of [a, b]) {
        const own = received.filter(({ content }) => content.startsWith(`${i}-${id}-`));
        expect(own.map(({ content }) => content)).to.deep.equal(
          [0, 1, 2, 3].map((n) => `${i}-${id}-${n}`),
        );
        expect(own.map((each) => each.id)).to.deep.equal(
          own.map((each) => each.id).toSorted((x, y) => x - y),
        );
      }
    expect(received).to.have.length(18);
  });
});
