import { addSubmessage, getMessage } from "@carillon/contract";
import {
  changeChannel,
  channel,
  eventsOf,
  organization,
  refused,
  subscribe,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  useGateway,
  useScene,
  user,
  withEvents,
} from "@carillon/testkit";
import { expect } from "chai";

import { all, post, write } from "../../test-support/reading-messages.ts";

describe("POST /submessage", () => {
  const scene = useScene();
  const { db } = scene;
  const second = useGateway(db);
  let writer: TestAccount;
  let reader: TestAccount;
  let room: TestChannel;

  before(async () => {
    [writer, reader] = [await user(db, scene.org.realm), await user(db, scene.org.realm)];
    room = await channel(db, scene.org.realm, { subscribers: [writer, reader, scene.org.guest] });
  });

  type Params = Readonly<Record<string, unknown>>;
  const vote = '{"type":"vote","key":"1,\\u00e9","vote":1.5}';
  const ask = (by: TestAccount, message_id: unknown, over: Params = {}, gateway = scene.gateway) =>
    gateway
      .as(by)
      .call(addSubmessage, { params: { message_id, msg_type: "widget", content: vote, ...over } });
  const refusal = async (by: TestAccount, id: unknown, over: Params = {}) =>
    (await refused(db, () => ask(by, id, over), "BAD_REQUEST", {})).msg;
  const say = (where = room) => post(scene.gateway, writer, where);
  async function received(by: TestAccount, id: number, over: Params = {}) {
    const { answer, received: events } = await withEvents(db, by, () => ask(by, id, over));
    expect(answer).to.deep.equal({});
    return events;
  }

  it("attaches the text as sent, sends it to the message's receivers, and shows it in every form of the message", async () => {
    const { guest } = scene.org;
    const id = await say();
    const audience = [guest.id, writer.id, reader.id];
    const attached: Params[] = [];
    for (const [by, content] of [
      [writer, '{"widget_type": "crossword"}'],
      [guest, vote],
      [writer, "null"],
    ] as const) {
      const [event, ...more] = await received(by, id, { content });
      expect(more).to.deep.equal([]);
      const { submessage_id, ...payload } = event?.payload ?? {};
      expect({ ...event, payload }).to.deep.equal({
        type: "submessage",
        op: null,
        payload: { msg_type: "widget", message_id: id, sender_id: by.id, content },
        audience,
      });
      attached.push({ id: submessage_id, ...payload });
    }
    const { message } = await scene.as(reader).succeed(getMessage, { path: { message_id: id } });
    expect(message.submessages).to.deep.equal(attached);
    const { messages } = await all(scene.gateway, reader);
    expect(messages.find((one) => one.id === id)?.submessages).to.deep.equal(attached);
  });

  it("requires the message's author to add the first submessage", async () => {
    const id = await say();
    for (const by of [reader, scene.org.guest]) expect(await refusal(by, id)).to.contain("first");
    const direct = await write(scene.gateway, writer, [reader]);
    expect(await refusal(reader, direct)).to.contain("first");
    await received(writer, direct);
    const [event] = await received(reader, direct);
    expect(event?.audience).to.deep.equal([writer.id, reader.id]);
  });

  it("accepts JSON of 10,000 characters and a type of 100 characters", async () => {
    const id = await say();
    for (const content of ["", "{", "undefined", "{'a':1}", "[1,]", "NaN", "[".repeat(10_000)])
      expect(await refusal(writer, id, { content })).to.contain("JSON");
    const long = (length: number) => JSON.stringify("💧".repeat(length - 2));
    expect(await refusal(writer, id, { content: long(10_001) })).to.contain("10000");
    expect(await refusal(writer, id, { msg_type: "x".repeat(101) })).to.contain("100");
    await received(writer, id, { content: long(10_000), msg_type: "💧".repeat(100) });
    const bad = await refusal(writer, id, { content: `"a\u0000b"` });
    expect(bad).to.contain("U+0000");
    for (const name of ["message_id", "msg_type", "content"])
      await refused(db, () => ask(writer, id, { [name]: undefined }), "REQUEST_VARIABLE_MISSING");
    for (const wrong of ["x", "1.5", '"1"', "[1]"])
      await refused(db, () => ask(writer, wrong), "BAD_REQUEST");
  });

  const fill = (id: number, sender: TestAccount, count: number, content: string) =>
    db.rows(
      `INSERT INTO submessages (message_id, sender_id, msg_type, content)
       SELECT $1, $2, 'widget', $3 FROM generate_series(1, $4)`,
      [id, sender.id, content, count],
    );

  it("limits one account to 500 submessages of a message, and leaves room for others", async () => {
    const id = await say();
    await fill(id, writer, 499, "1");
    await received(writer, id);
    expect(await refusal(writer, id)).to.contain("500 submessages");
    await received(reader, id);
  });

  it("limits the total number of submessages of a message", async () => {
    const [many, large] = [await say(), await say()];
    await fill(many, scene.org.owner, 4_999, "1");
    await received(writer, many);
    expect(await refusal(writer, many)).to.contain("5000 submessages");
    await fill(large, writer, 1, `"${"x".repeat(999_990)}"`);
    await received(writer, large, { content: "12345678" });
    expect(await refusal(writer, large, { content: "1" })).to.contain("1000000 characters");
    const { message } = await scene.as(reader).succeed(getMessage, { path: { message_id: many } });
    expect(message.submessages).to.have.length(5_000);
  });

  it("requires a visible message in a channel that is not archived", async () => {
    const { realm, owner, guest } = scene.org;
    const other = await organization(db);
    const closed = await channel(db, realm, { inviteOnly: true, subscribers: [writer, reader] });
    const hidden = await say(closed);
    await received(writer, hidden);
    await received(reader, hidden);
    await unsubscribe(db, closed, reader);
    const words = new Set<string>();
    for (const [by, id] of [
      [reader, hidden],
      [owner, hidden],
      [guest, await write(scene.gateway, writer, [reader])],
      [owner, await write(scene.gateway, other.owner, [other.member])],
      [owner, 0],
      [owner, -5],
      [owner, 2 ** 53 - 1],
    ] as const)
      words.add(await refusal(by, id));
    expect([...words]).to.have.length(1);
    await subscribe(db, closed, reader);
    await changeChannel(db, closed, { isArchived: true });
    expect(await refusal(writer, hidden)).to.contain("archived");
    const anonymous = () =>
      scene.gateway.anonymous.post("/api/v1/submessage", { message_id: hidden });
    await refused(db, anonymous, "UNAUTHORIZED");
  });

  it("stores concurrent submessages of two gateways in the order of their events", async () => {
    const id = await say();
    const { events } = await eventsOf(db, writer.realmId, () =>
      Promise.all(
        [0, 1, 2, 3].map((n) =>
          ask(writer, id, { content: `${n}` }, n % 2 ? second : scene.gateway),
        ),
      ),
    );
    const { message } = await scene.as(reader).succeed(getMessage, { path: { message_id: id } });
    expect(message.submessages.map((one) => one.content).toSorted()).to.deep.equal([
      "0",
      "1",
      "2",
      "3",
    ]);
    expect(events.map(({ payload }) => payload["submessage_id"])).to.deep.equal(
      message.submessages.map((one) => one.id),
    );
  });
});
