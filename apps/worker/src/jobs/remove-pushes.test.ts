import { startTask } from "@carillon/scheduling";
import {
  deleteMessages,
  GiveUp,
  markRead,
  planPushes,
  removePushes,
  sendPushes,
} from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import {
  channel,
  countQueries,
  deleteRecorded,
  device,
  forgetIntents,
  pendingPayloads,
  plannedPushes,
  plannedRemovals,
  refuses,
  runCalls,
  runIntents,
  send,
  succeeded,
  type TestAccount,
  type TestChannel,
  toChannel,
  phonePayloads,
  toUsers,
  useFakeBouncer,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import retentionTask from "../recurring/retention.ts";

describe("Notifications are removed from devices", () => {
  const scene = useScene();
  const bouncer = useFakeBouncer();
  let receiver: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    await forgetIntents(db, planPushes, sendPushes, removePushes, deleteMessages, markRead);
    await db.prisma.clientDevice.deleteMany();
    receiver = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [receiver, org.owner] });
    await device(db, receiver, { active: 1 });
  });

  const call = (definition: typeof sendPushes | typeof removePushes) =>
    runCalls<unknown>(scene.db, definition, bouncer.config);
  /** A message that the receiver has on their devices. */
  const pushed = async (params = toUsers([receiver.id])) => {
    const id = await send(scene.as(scene.org.owner), params);
    await plannedPushes(scene.db);
    await call(sendPushes);
    bouncer.reset();
    return id;
  };
  const inRoom = (topic = "lunch") =>
    pushed(toChannel(room.id, { topic, content: `@**${receiver.fullName}**` }));
  const flagged = async () =>
    (
      await scene.db.rows<{ id: number }>(
        "SELECT message_id AS id FROM user_messages WHERE user_id = $1 AND flags & 512 <> 0",
        [receiver.id],
      )
    ).map(({ id }) => id);
  const ask = async (by: TestAccount, path: string, params: object) =>
    succeeded(await scene.as(by).post(path, { ...params }));
  const mark = (messages: readonly number[]) =>
    ask(receiver, "/api/v1/messages/flags", { messages, op: "add", flag: "read" });
  const removed = async (...messageIds: number[]) => {
    expect(await flagged()).to.deep.equal([]);
    expect(await plannedRemovals(scene.db)).to.deep.equal([{ userId: receiver.id, messageIds }]);
  };

  describe("when the message is read,", () => {
    it("one by one", async () => {
      const id = await pushed();
      expect(await flagged()).to.deep.equal([id]);
      const other = await send(scene.as(scene.org.owner), toUsers([receiver.id]));
      await mark([other, id]);
      await removed(id);
    });

    it("in a narrow", async () => {
      const id = await inRoom();
      await ask(receiver, "/api/v1/messages/flags/narrow", {
        anchor: "oldest",
        num_before: 0,
        num_after: 100,
        narrow: [{ operator: "channel", operand: room.id }],
        op: "add",
        flag: "read",
      });
      await removed(id);
    });

    it("with all messages, its channel or its topic", async () => {
      for (const [path, params] of [
        ["mark_all_as_read", {}],
        ["mark_stream_as_read", { stream_id: room.id }],
        ["mark_topic_as_read", { stream_id: room.id, topic_name: "Lunch" }],
      ] as const) {
        const id = await inRoom();
        await ask(receiver, `/api/v1/${path}`, params);
        await removed(id);
        await forgetIntents(scene.db, removePushes);
      }
    });

    it("by the job, because its account has left the channel", async () => {
      const id = await inRoom();
      await scene.as(receiver).delete("/api/v1/users/me/subscriptions", {
        subscriptions: [room.name],
      });
      expect(await flagged()).to.deep.equal([id]);
      await runIntents(scene.db, markRead);
      await removed(id);
    });
  });

  it("stay when the message gets another flag, or is unread again", async () => {
    const id = await pushed();
    for (const flag of ["starred", "collapsed"])
      await ask(receiver, "/api/v1/messages/flags", { messages: [id], op: "add", flag });
    await ask(receiver, "/api/v1/messages/flags", { messages: [id], op: "remove", flag: "read" });
    expect(await flagged()).to.deep.equal([id]);
    expect(await plannedRemovals(scene.db)).to.deep.equal([]);
  });

  describe("when the message is deleted,", () => {
    it("alone", async () => {
      const id = await pushed();
      succeeded(await scene.as(scene.org.owner).delete(`/api/v1/messages/${id}`));
      await removed(id);
    });

    it("with its topic", async () => {
      const ids = [await inRoom(), await inRoom()];
      const path = `/api/v1/streams/${room.id}/delete_topic`;
      await ask(scene.org.owner, path, { topic_name: "lunch" });
      await removed(...ids);
    });

    it("by retention", async () => {
      const { db } = scene;
      const id = await inRoom();
      await db.prisma.channel.update({ where: { id: room.id }, data: { messageRetentionDays: 1 } });
      await db.rows("UPDATE messages SET sent_at = sent_at - interval '3 days' WHERE id = $1", [
        id,
      ]);
      const task = startTask(retentionTask, { db, log: silentLogger });
      await task.run();
      await task.stop();
      await removed(id);
    });

    it("with its sender's account", async () => {
      const { db, org } = scene;
      const author = await user(db, org.realm);
      const id = await send(scene.as(author), toUsers([receiver.id]));
      await plannedPushes(db);
      await call(sendPushes);
      succeeded(
        await scene.as(org.owner).delete(`/api/v1/users/${author.id}`, {
          actions: { delete_direct_messages: true },
        }),
      );
      await deleteRecorded(db);
      await removed(id);
    });
  });

  describe("when the message is moved", () => {
    const move = async (id: number, to: TestChannel) =>
      succeeded(
        await scene.as(scene.org.owner).patch(`/api/v1/messages/${id}`, { stream_id: to.id }),
      );

    it("to a channel that the account cannot see", async () => {
      const { db, org } = scene;
      const secret = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
      const id = await inRoom();
      await move(id, secret);
      await removed(id);
    });

    it("to a channel to which its account is not subscribed", async () => {
      const { db, org } = scene;
      const other = await channel(db, org.realm, { subscribers: [org.owner] });
      const id = await inRoom();
      await move(id, other);
      await removed(id);
    });

    it("but not when the account still sees it", async () => {
      const { db, org } = scene;
      const other = await channel(db, org.realm, { subscribers: [org.owner, receiver] });
      const id = await inRoom();
      await move(id, other);
      expect(await flagged()).to.deep.equal([id]);
      expect(await plannedRemovals(db)).to.deep.equal([]);
    });
  });

  describe("by the job remove-pushes,", () => {
    it("which sends each device the ids", async () => {
      const { db, org } = scene;
      await device(db, receiver, { active: 2, kind: "apns" });
      const ids = [await pushed(), await pushed()];
      await mark(ids);
      await call(removePushes);
      const wanted = {
        type: "remove",
        realm_url: `http://${org.realm.subdomain}.carillon.test`,
        realm_name: org.realm.name,
        user_id: receiver.id,
        message_ids: ids,
      };
      expect(await phonePayloads(bouncer.handedOver)).to.deep.equal([wanted, wanted]);
      const [fcm, apns] = bouncer.handedOver[0]?.push_requests ?? [];
      expect(fcm).to.include({ fcm_priority: "normal" });
      expect(apns).to.deep.include({
        http_headers: { apns_priority: 5, apns_push_type: "background" },
      });
      expect(bouncer.calls[0]?.idempotencyKey).to.match(/^remove-pushes-\d+-v1$/);
    });

    it("which sends the newest 200 of very many, and deletes all records", async () => {
      const { db } = scene;
      const first = await pushed();
      await db.rows(
        `INSERT INTO user_messages (user_id, message_id, flags)
         SELECT $1, $2 + n, 512 FROM generate_series(1, 300) AS n`,
        [receiver.id, first],
      );
      await db.rows(
        `INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
           render_version, client_id)
         SELECT $1 + n, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
           render_version, client_id FROM messages, generate_series(1, 300) AS n WHERE id = $1`,
        [first],
      );
      await db.rows("SELECT setval('messages_id_seq', $1)", [first + 300]);
      await ask(receiver, "/api/v1/mark_all_as_read", {});
      await runIntents(db, markRead);
      const newest = Array.from({ length: 200 }, (_, i) => first + 101 + i);
      await removed(...newest);
    });

    it("which retries with the same key when the bouncer failed", async () => {
      const id = await pushed();
      await mark([id]);
      bouncer.behave({ fault: refuses(502, "BAD_GATEWAY") });
      const run = () => call(removePushes);
      expect(await run().catch((error: unknown) => error)).to.be.an("error");
      bouncer.behave({});
      await run();
      expect(
        (await phonePayloads(bouncer.handedOver)).map((received) => received["message_ids"]),
      ).to.deep.equal([[id]]);
      expect(new Set(bouncer.calls.map(({ idempotencyKey }) => idempotencyKey)).size).to.equal(1);
    });

    it("which gives up when the bouncer has not accepted it for two hours", async () => {
      const { db } = scene;
      await mark([await pushed()]);
      await db.rows(
        "UPDATE job_intent SET run_at = run_at - interval '121 minutes' WHERE job = $1",
        [removePushes.name],
      );
      expect(await call(removePushes).catch((error: unknown) => error)).to.be.instanceOf(GiveUp);
      expect(bouncer.calls).to.deep.equal([]);
    });

    it("which does nothing when the devices were removed", async () => {
      const id = await pushed();
      await mark([id]);
      await scene.db.prisma.clientDevice.deleteMany();
      await call(removePushes);
      expect(bouncer.calls).to.deep.equal([]);
      expect(await pendingPayloads(scene.db, removePushes)).to.deep.equal([]);
    });
  });

  it("costs a reader nothing if nothing was pushed", async () => {
    const { db } = scene;
    const ids = [await pushed(), await pushed()];
    await db.rows("UPDATE user_messages SET flags = flags & ~512");
    const plain = await countQueries(db, () => mark(ids.slice(0, 1)));
    await db.rows("UPDATE user_messages SET flags = flags | 512 WHERE message_id = $1", [ids[1]]);
    const more = await countQueries(db, () => mark(ids.slice(1)));
    expect(more.count - plain.count).to.equal(1, "the intent alone");
  });
});
