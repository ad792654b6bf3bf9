import { deleteTopic, listTopics } from "@carillon/contract";
import {
  changeChannel,
  changesOf,
  channel,
  countQueries,
  organization,
  pastMessages,
  refused,
  snapshotOf,
  subscribe,
  user,
  useScene,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

import { idsFor, post, setFlags } from "../../test-support/reading-messages.ts";

describe("POST /streams/{stream_id}/delete_topic", () => {
  const scene = useScene();
  const { db, gateway } = { db: scene.db, gateway: scene.gateway };

  const ask = (by: TestAccount, stream_id: number, topic_name: unknown) =>
    scene.as(by).call(deleteTopic, {
      path: { stream_id },
      params: topic_name === undefined ? {} : { topic_name },
    });
  const remove = async (room: TestChannel, topic: string, by = scene.org.admin) => {
    const { status, body } = await ask(by, room.id, topic);
    expect([status, body]).to.deep.equal([200, { result: "success", msg: "", complete: true }]);
  };
  const topics = async (room: TestChannel) => {
    const options = { path: { stream_id: room.id }, params: { allow_empty_topic_name: true } };
    const { topics: listed } = await scene.as(scene.org.owner).succeed(listTopics, options);
    return listed.map(({ name }) => name);
  };
  const copiesOf = (ids: readonly number[]) =>
    db.rows<{ message_id: number }>(
      "SELECT message_id FROM user_messages WHERE message_id = ANY($1::bigint[])",
      [ids],
    );
  const firstOf = async (room: TestChannel) => {
    const row = await db.prisma.channel.findUniqueOrThrow({ where: { id: room.id } });
    return row.firstMessageId === null ? null : Number(row.firstMessageId);
  };

  it("deletes the topic in any case with all copies, and nothing else", async () => {
    const { owner, member } = scene.org;
    const room = await channel(db, owner, { subscribers: [owner, member] });
    const other = await channel(db, owner, { subscribers: [owner] });
    const gone = [
      await post(gateway, owner, room, "Ärger"),
      await post(gateway, member, room, "äRGER"),
    ];
    const kept = [
      await post(gateway, owner, room, "Ärger im Büro"),
      await post(gateway, owner, other, "Ärger"),
    ];
    await remove(room, " ärger ");
    expect(await topics(room)).to.deep.equal(["Ärger im Büro"]);
    expect(await topics(other)).to.deep.equal(["Ärger"]);
    expect(await copiesOf(gone)).to.deep.equal([]);
    expect(await copiesOf(kept)).to.have.lengthOf(3);
    const narrow = [{ operator: "channel", operand: room.id }];
    expect(await idsFor(gateway, member, narrow)).to.deep.equal([kept[0]]);
  });

  it("accepts all names of the empty topic", async () => {
    const { owner, realm } = scene.org;
    for (const name of ["", "(no topic)", realm.emptyTopicDisplayName]) {
      const room = await channel(db, owner, { subscribers: [owner] });
      await post(gateway, owner, room, "");
      await post(gateway, owner, room, "lunch");
      await remove(room, name);
      expect(await topics(room)).to.deep.equal(["lunch"]);
    }
  });

  it("reports completion and changes nothing if the topic has no messages", async () => {
    const room = await channel(db, scene.org.owner);
    await remove(room, "lunch");
    const { tables } = await changesOf(db, () => remove(room, "lunch"));
    expect(tables).to.deep.equal([]);
  });

  it("archives the messages with the receivers' flags", async () => {
    const { admin, owner, member } = scene.org;
    const room = await channel(db, owner, { subscribers: [owner, member] });
    const id = await post(gateway, owner, room, "lunch", "*Soup*, @**all**");
    await setFlags(db, member, 2, id);
    const before = await db.rows(
      "SELECT to_jsonb(m) - ARRAY['search', 'outgoing_call_id'] AS message FROM messages m WHERE id = $1",
      [id],
    );
    await remove(room, "lunch");

    const after = await db.rows(
      `SELECT to_jsonb(m) - ARRAY['removal_id', 'holder_ids', 'holder_flags', 'reactions', 'submessages'] AS message
       FROM archived_messages m WHERE id = $1`,
      [id],
    );
    expect(after).to.deep.equal(before);
    const holders = await db.rows(
      `SELECT h.id, h.flags, r.realm_id, r.channel_id, r.cause, r.actor_id
       FROM archived_messages a JOIN message_removals r ON r.id = a.removal_id,
         unnest(a.holder_ids, a.holder_flags) AS h (id, flags) WHERE a.id = $1 ORDER BY h.id`,
      [id],
    );
    const run = { realm_id: room.realmId, channel_id: room.id, cause: "topic", actor_id: admin.id };
    expect(holders).to.deep.equal([
      { id: owner.id, flags: 16, ...run },
      { id: member.id, flags: 2 + 16, ...run },
    ]);
    const audit = await db.rows(
      `SELECT acting_user_id AS actor FROM audit_log
       WHERE event_type = 'topic_deleted' AND (extra_data->>'stream_id')::int = $1`,
      [room.id],
    );
    expect(audit).to.deep.equal([{ actor: admin.id }]);
  });

  it("removes the topic from snapshots but keeps the topic policies of users", async () => {
    const { owner, realm } = scene.org;
    const reader = await user(db, realm);
    const room = await channel(db, owner, { subscribers: [owner, reader] });
    const [first, second] = [
      await post(gateway, owner, room, "rain"),
      await post(gateway, owner, room, "lunch", `Soup, @**${reader.fullName}**?`),
    ];
    await setFlags(db, reader, 2, first, second);
    const before = await snapshotOf(scene.as(reader));
    expect(before["max_message_id"]).to.equal(second);
    expect(before["starred_messages"]).to.deep.equal([first, second]);
    await remove(room, "lunch");

    const after = await snapshotOf(scene.as(reader));
    expect(after["max_message_id"]).to.equal(first);
    expect(after["starred_messages"]).to.deep.equal([first]);
    expect(after["unread_msgs"]).to.deep.include({
      count: 1,
      mentions: [],
      streams: [{ stream_id: room.id, topic: "rain", unread_message_ids: [first] }],
    });
    expect(after["user_topics"]).to.deep.equal(before["user_topics"]);
  });

  it("updates the channel's first message, clears it when none is left, and sets it with the next one", async () => {
    const { owner } = scene.org;
    const room = await channel(db, owner, { subscribers: [owner] });
    await post(gateway, owner, room, "rain");
    const second = await post(gateway, owner, room, "lunch");
    await post(gateway, owner, room, "lunch");
    const topicLater = await post(gateway, owner, room, "sun");
    await remove(room, "rain");
    expect(await firstOf(room)).to.equal(second);
    await remove(room, "sun");
    expect(await firstOf(room)).to.equal(second);
    await remove(room, "lunch");
    expect(await firstOf(room)).to.equal(null);
    const next = await post(gateway, owner, room, "lunch");
    expect(next).to.be.greaterThan(topicLater);
    expect(await firstOf(room)).to.equal(next);
  });

  it("deletes the caller's received messages only if history is protected", async () => {
    const { owner, admin } = scene.org;
    const room = await channel(db, owner, { inviteOnly: true, subscribers: [owner] });
    const early = await post(gateway, owner, room);
    await subscribe(db, room, admin);
    await post(gateway, owner, room);
    await remove(room, "lunch");
    const narrow = [{ operator: "channel", operand: room.id }];
    expect(await idsFor(gateway, owner, narrow)).to.deep.equal([early]);
  });

  it("runs the same number of statements for a thousand messages as for one", async () => {
    const { owner, member } = scene.org;
    const room = await channel(db, owner, { subscribers: [owner, member] });
    await pastMessages(db, room, owner, { count: 2, topic: "rain", daysAgo: 2 });
    await pastMessages(db, room, owner, { topic: "warm-up", daysAgo: 1 });
    await pastMessages(db, room, owner, { topic: "one", daysAgo: 1 });
    await pastMessages(db, room, owner, { count: 999, topic: "many", daysAgo: 1 });
    await remove(room, "warm-up");
    const one = await countQueries(db, () => remove(room, "one"));
    const many = await countQueries(db, () => remove(room, "many"));
    expect(many.statements).to.deep.equal(one.statements);
    expect(await topics(room)).to.deep.equal(["rain"]);
  });

  describe("refuses, and changes nothing", () => {
    let room: TestChannel;
    before(async () => {
      room = await channel(db, scene.org.owner, { subscribers: [scene.org.owner] });
      await post(gateway, scene.org.owner, room);
    });
    const refuses = (by: TestAccount, id: number, topic: unknown, code = "BAD_REQUEST") =>
      refused(db, () => ask(by, id, topic), code);

    it("all callers but administrators", async () => {
      const { moderator, member, guest, bot } = scene.org;
      for (const by of [moderator, member, guest, bot])
        await refuses(by, room.id, "lunch", "UNAUTHORIZED_PRINCIPAL");
      await changeChannel(db, room, {
        canDeleteAnyMessageGroupId: scene.org.groups["role:everyone"],
        canAdministerChannelGroupId: scene.org.groups["role:everyone"],
      });
      await refuses(member, room.id, "lunch", "UNAUTHORIZED_PRINCIPAL");
    });

    it("administrators who cannot read the channel, as an unknown channel", async () => {
      const { admin, owner, realm } = scene.org;
      const secret = await channel(db, realm, { inviteOnly: true, subscribers: [owner] });
      const elsewhere = await organization(db);
      const foreign = await channel(db, elsewhere.owner);
      const { msg } = await refuses(admin, 2 ** 31 - 1, "lunch");
      expect((await refuses(admin, secret.id, "lunch")).msg).to.equal(msg);
      expect((await refuses(admin, foreign.id, "lunch")).msg).to.equal(msg);
    });

    it("archived channels", async () => {
      const archived = await channel(db, scene.org.owner, { isArchived: true });
      await refuses(scene.org.admin, archived.id, "lunch");
    });

    it("missing topics, and topics that no message can have", async () => {
      const { admin } = scene.org;
      const missing = { var_name: "topic_name" };
      await refused(db, () => ask(admin, room.id, undefined), "REQUEST_VARIABLE_MISSING", missing);
      await refuses(admin, room.id, "a".repeat(61));
      await refuses(admin, room.id, "a\u0000b");
    });
  });
});
