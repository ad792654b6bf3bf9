import { deleteMessage, getMessages } from "@carillon/contract";
import {
  bot,
  changeChannel,
  changeOrganization,
  channel,
  countQueries,
  crowd,
  organization,
  pastMessages,
  refused,
  subscribe,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  useScene,
  user,
  userGroup,
  withEvents,
} from "@carillon/testkit";
import { expect } from "chai";

import { idsFor, post, setFlags, write } from "../../test-support/reading-messages.ts";

describe("DELETE /messages/{message_id}", () => {
  const scene = useScene();
  const { db } = scene;
  let writer: TestAccount;
  let reader: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { realm, groups } = scene.org;
    await changeOrganization(db, realm, {
      canDeleteAnyMessageGroupId: groups["role:administrators"],
      canDeleteOwnMessageGroupId: groups["role:everyone"],
    });
    [writer, reader] = [await user(db, realm), await user(db, realm)];
    room = await channel(db, realm, { subscribers: [writer, reader] });
  });

  const call = (by: TestAccount, message_id: number | string) =>
    scene.as(by).call(deleteMessage, { path: { message_id } });
  const refusal = async (by: TestAccount, id: number | string) =>
    (await refused(db, () => call(by, id), "BAD_REQUEST", {})).msg;
  const say = (by = writer, topic?: string, where = room) => post(scene.gateway, by, where, topic);
  const age = (id: number, seconds: number) =>
    db.rows("UPDATE messages SET sent_at = now() - make_interval(secs => $2) WHERE id = $1", [
      id,
      seconds,
    ]);
  /** Deletes the message and expects success. @returns the events */
  async function remove(by: TestAccount, id: number) {
    const { answer, received } = await withEvents(db, by, () => call(by, id));
    expect(answer).to.deep.equal({});
    expect(await db.rows("SELECT FROM messages WHERE id = $1", [id])).to.deep.equal([]);
    return received;
  }

  it("moves the message with all copies to the archive, with the caller as the actor", async () => {
    const [kept, id] = [await say(), await say()];
    const [before] = await db.rows<{ row: object }>(
      "SELECT to_jsonb(m) - ARRAY['search', 'outgoing_call_id'] AS row FROM messages m WHERE id = $1",
      [id],
    );
    await remove(writer, id);
    expect(await idsFor(scene.gateway, reader)).to.deep.equal([kept]);
    const { messages } = await scene
      .as(reader)
      .succeed(getMessages, { params: { message_ids: [id] } });
    expect(messages).to.deep.equal([]);
    expect(await db.rows("SELECT FROM user_messages WHERE message_id = $1", [id])).to.deep.equal(
      [],
    );
    const archived = await db.rows(
      `SELECT to_jsonb(a) - array['removal_id', 'holder_ids', 'holder_flags', 'reactions', 'submessages'] AS row,
         r.cause, r.actor_id, r.channel_id,
         (SELECT array_agg(h ORDER BY h) FROM unnest(a.holder_ids) AS h) AS holders
       FROM archived_messages a JOIN message_removals r ON r.id = a.removal_id WHERE a.id = $1`,
      [id],
    );
    expect(archived).to.deep.equal([
      {
        row: before?.row,
        cause: "message",
        actor_id: writer.id,
        channel_id: room.id,
        holders: [writer.id, reader.id],
      },
    ]);
  });

  it("sends the deletion to accounts that could see it, and the channel's new first message", async () => {
    const closed = await channel(db, scene.org.realm, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [writer, reader],
    });
    const [first, second] = [await say(writer, "Lunch", closed), await say(writer, "", closed)];
    const audience = [writer.id, reader.id];
    const gone = (id: number, topic: string) => ({
      type: "delete_message",
      op: null,
      payload: { message_ids: [id], message_type: "stream", stream_id: closed.id, topic },
      audience,
    });
    const [deletion, ...more] = await remove(writer, first);
    expect(deletion).to.deep.equal(gone(first, "Lunch"));
    expect(
      more.map(({ type, payload }) => [type, payload["property"], payload["value"]]),
    ).to.deep.equal([["stream", "first_message_id", second]]);
    await unsubscribe(db, closed, reader);
    const last = await remove(writer, second);
    expect(last[0]).to.deep.equal({ ...gone(second, ""), audience: [writer.id] });
    // The message no longer counts as unread for the reader.
    expect(last[1]).to.deep.include({ type: "update_message_flags", audience: [reader.id] });
  });

  it("sends accounts that lost the channel only the removal from unread and starred messages", async () => {
    const closed = await channel(db, scene.org.realm, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [writer, reader],
    });
    const id = await say(writer, "lunch", closed);
    await setFlags(db, reader, 2, id);
    await setFlags(db, writer, 2, id);
    await unsubscribe(db, closed, reader);
    const received = (await remove(writer, id)).filter(({ audience }) =>
      audience?.includes(reader.id),
    );
    expect(received.map(({ type, op, payload }) => [type, op, payload])).to.deep.equal(
      [
        { operation: "add", flag: "read" },
        { operation: "remove", flag: "starred" },
      ].map((change) => [
        "update_message_flags",
        change.operation,
        { ...change, messages: [id], all: false },
      ]),
    );
    for (const { audience } of received) expect(audience).to.deep.equal([reader.id]);
  });

  it("sends the deletion of a direct message to its participants", async () => {
    const id = await write(scene.gateway, writer, [writer, reader]);
    const audience = [writer.id, reader.id];
    expect(await remove(writer, id)).to.deep.equal([
      {
        type: "delete_message",
        op: null,
        payload: { message_ids: [id], message_type: "private" },
        audience,
      },
    ]);
    const note = await write(scene.gateway, writer, [writer]);
    expect((await remove(writer, note))[0]?.audience).to.deep.equal([writer.id]);
  });

  it("is refused the second time like a message that never existed", async () => {
    const id = await say();
    await remove(writer, id);
    expect(await refusal(writer, id)).to.equal(await refusal(writer, 2 ** 40));
  });

  describe("with the permission to delete any message", () => {
    it("allows administrators by default, whoever sent the message and whenever", async () => {
      const { owner, admin, moderator } = scene.org;
      for (const by of [owner, admin]) {
        const id = await say();
        await age(id, 10_000_000);
        await remove(by, id);
      }
      const id = await say();
      for (const by of [moderator, reader])
        expect(await refusal(by, id)).to.contain("may not delete");
    });

    it("allows the organization's group, but never guests", async () => {
      const { realm, guest, admin } = scene.org;
      await subscribe(db, room, guest);
      const group = await userGroup(db, realm, { members: [reader, guest] });
      await changeOrganization(db, realm, { canDeleteAnyMessageGroupId: group.id });
      const id = await say();
      for (const by of [guest, admin]) expect(await refusal(by, id)).to.contain("may not delete");
      await remove(reader, id);
    });

    it("allows the channel's group, including guests, in that channel only", async () => {
      const { realm, guest } = scene.org;
      await subscribe(db, room, guest);
      const group = await userGroup(db, realm, { members: [reader, guest] });
      await changeChannel(db, room, { canDeleteAnyMessageGroupId: group.id });
      for (const by of [reader, guest]) {
        const id = await say();
        await age(id, 601);
        await remove(by, id);
      }
      const other = await channel(db, realm, { subscribers: [writer, reader] });
      expect(await refusal(reader, await say(writer, "x", other))).to.contain("may not delete");
      expect(await refusal(reader, await write(scene.gateway, writer, [reader]))).to.contain(
        "may not",
      );
    });

    it("requires a visible message: roles open neither channels nor conversations", async () => {
      const { realm, owner, guest } = scene.org;
      const other = await organization(db);
      const closed = await channel(db, realm, { inviteOnly: true, subscribers: [writer, reader] });
      const [early = 0] = await pastMessages(db, closed, writer);
      const words = new Set<string>();
      for (const hidden of [
        await say(writer, "x", closed),
        await write(scene.gateway, writer, [reader]),
        await write(scene.gateway, other.owner, [other.member]),
        0,
        2 ** 31,
        2 ** 53 - 1,
        "9007199254740993",
      ])
        words.add(await refusal(owner, hidden));
      await subscribe(db, closed, owner);
      words.add(await refusal(owner, early));
      // A guest who has left a channel cannot delete even their own messages there.
      await subscribe(db, room, guest);
      const own = await say(guest);
      await unsubscribe(db, room, guest);
      words.add(await refusal(guest, own));
      expect([...words]).to.have.length(1);
      await remove(owner, await say(writer, "x", closed));
    });
  });

  describe("with the permission to delete own messages", () => {
    it("is allowed for exactly ten minutes", async () => {
      const id = await say();
      await age(id, 605);
      expect(await refusal(writer, id)).to.contain("600 seconds");
      await age(id, 480);
      await remove(writer, id);
    });

    it("allows the organization's or the channel's group, including guests and bots", async () => {
      const { realm, groups, guest } = scene.org;
      const robot = await bot(db, reader);
      await subscribe(db, room, guest);
      await subscribe(db, room, robot);
      for (const by of [guest, robot]) await remove(by, await say(by));
      await changeOrganization(db, realm, { canDeleteOwnMessageGroupId: groups["role:nobody"] });
      for (const by of [writer, guest, robot])
        expect(await refusal(by, await say(by))).to.contain("may not delete");
      await changeChannel(db, room, { canDeleteOwnMessageGroupId: groups["role:everyone"] });
      for (const by of [writer, guest, robot]) await remove(by, await say(by));
      const direct = await write(scene.gateway, writer, [reader]);
      expect(await refusal(writer, direct)).to.contain("may not delete");
    });

    it("allows the owner of the bot that sent it, under the same conditions", async () => {
      const robot = await bot(db, writer);
      const other = await bot(db, reader);
      await subscribe(db, room, robot, other);
      const id = await say(robot);
      for (const by of [reader, other]) expect(await refusal(by, id)).to.contain("may not delete");
      await age(id, 605);
      expect(await refusal(writer, id)).to.contain("600 seconds");
      await age(id, 5);
      await remove(writer, id);
      // A bot may not delete its owner's messages.
      expect(await refusal(robot, await say(writer))).to.contain("may not delete");
    });
  });

  it("is refused in archived channels for all accounts", async () => {
    const id = await say();
    await changeChannel(db, room, { isArchived: true });
    for (const by of [writer, scene.org.owner])
      expect(await refusal(by, id)).to.contain("archived");
  });

  it("requires authentication and a message ID", async () => {
    const id = await say();
    const ask = () => scene.gateway.anonymous.delete(`/api/v1/messages/${id}`);
    await refused(db, ask, "UNAUTHORIZED", {});
    for (const path of ["x", "-1", "1.5", "1e3"]) {
      const answer = await scene.as(writer).delete(`/api/v1/messages/${path}`);
      expect(answer.status, path).to.be.oneOf([400, 404]);
    }
    expect(await idsFor(scene.gateway, writer)).to.deep.equal([id]);
  });

  it("runs the same number of statements for any number of receivers", async () => {
    const [kept, one, other] = [await say(), await say(), await say()];
    const few = await countQueries(db, () => remove(writer, one));
    await subscribe(db, room, ...(await crowd(db, reader, 50)));
    const [many = 0] = await pastMessages(db, room, writer);
    const lots = await countQueries(db, () => remove(writer, many));
    expect(lots.count).to.equal(few.count);
    expect(await idsFor(scene.gateway, writer)).to.deep.equal([kept, other]);
  });
});
