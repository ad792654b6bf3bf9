import { bounds } from "@carillon/contract";
import {
  behindOne,
  channel,
  channelMessage,
  directMessage,
  eventsOf,
  schedule,
  scheduledMessagesPath,
  startGateway,
  user,
  useBlocker,
  useScene,
  type Params,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Messages scheduled concurrently", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let people: TestAccount[];
  let leader: TestAccount;
  let room: TestChannel;

  before(async () => {
    const { db, org } = scene;
    people = await Promise.all(Array.from({ length: 4 }, () => user(db, org.realm)));
    leader = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [leader, ...people] });
  });

  /** Schedules a message that blocks on the event-log lock at COMMIT, then the others behind it, one after another. */
  async function behind(others: ReadonlyArray<readonly [TestAccount, Params]>) {
    const line = await behindOne(
      scene.gateway,
      blocker,
      () => schedule(scene.as(leader), channelMessage(room.id)),
      others.map(
        ([sender, params]) =>
          () =>
            scene.as(sender).post(scheduledMessagesPath, params),
      ),
    );
    return line.answers();
  }
  const codeOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
    body["code"] ?? "SCHEDULED";

  it("are stored in one transaction, each with its own response, with events in that order", async () => {
    const [a, b, c] = people as [TestAccount, TestAccount, TestAccount];
    const { result: answers, events } = await eventsOf(scene.db, scene.org.realm.id, () =>
      behind([
        [a, channelMessage(room.id, { content: "one" })],
        [b, channelMessage(room.id, { scheduled_delivery_timestamp: 1 })],
        [b, directMessage([a.id, c.id], { content: "two" })],
        [c, channelMessage(9_999_999)],
        [a, directMessage([b.id, c.id], { content: "three" })],
      ]),
    );
    expect(answers.map(codeOf)).to.deep.equal([
      "SCHEDULED",
      "BAD_REQUEST",
      "SCHEDULED",
      "STREAM_DOES_NOT_EXIST",
      "SCHEDULED",
    ]);
    const ids = answers.flatMap(({ body }) => Number(body["scheduled_message_id"] ?? NaN) || []);
    const rows = await scene.db.rows<{ id: number; content: string; created: string }>(
      `SELECT id, content, created_at::text AS created FROM scheduled_messages
       WHERE id = ANY($1::bigint[]) ORDER BY id`,
      [ids],
    );
    expect(rows.map(({ id }) => id)).to.have.members(ids);
    expect(new Set(rows.map(({ created }) => created)).size, "one transaction").to.equal(1);
    // Each account's first message precedes any account's second one.
    expect(rows.map(({ content }) => content)).to.deep.equal(["one", "three", "two"]);
    const received = events.flatMap(({ type, audience, payload }) =>
      type === "scheduled_messages"
        ? (payload["scheduled_messages"] as Array<{ scheduled_message_id: number }>).map((each) => [
            each.scheduled_message_id,
            audience,
          ])
        : [],
    );
    const senders = await scene.db.rows<{ id: number; sender: number }>(
      `SELECT id, sender_id AS sender FROM scheduled_messages WHERE id = ANY($1::bigint[]) ORDER BY id`,
      [ids],
    );
    expect(received.slice(1)).to.deep.equal(senders.map(({ id, sender }) => [id, [sender]]));
    const deliveries = scene.gateway.deliveries.map(({ scheduledMessageId }) => scheduledMessageId);
    expect(deliveries).to.include.members(ids);
  });

  it("stay within the account's limit over two gateways", async () => {
    const { db, org } = scene;
    const full = await user(db, org.realm);
    const own = await channel(db, org.realm, { subscribers: [full] });
    const { id: model } = await db.prisma.scheduledMessage.findFirstOrThrow();
    const columns = `realm_id, recipient_id, channel_id, topic, content, rendered_content, client_id, deliver_at,
      read_by_sender, has_attachment, kind`;
    await db.rows(
      `INSERT INTO scheduled_messages (sender_id, ${columns})
       SELECT $1, ${columns} FROM scheduled_messages, generate_series(1, $3::int) WHERE id = $2`,
      [full.id, Number(model), bounds.pendingMessages - 2],
    );
    const second = await startGateway(db);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        (i % 2 ? second : scene.gateway)
          .as(full)
          .post(scheduledMessagesPath, channelMessage(own.id, { content: `${i}` })),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((x, y) => x - y);
    expect(statuses).to.deep.equal([200, 200, 400, 400, 400, 400, 400, 400]);
    await second.close();
  });
});
