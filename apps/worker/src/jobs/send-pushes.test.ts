import { GiveUp, planPushes, removePushes, sendPushes } from "@carillon/jobs";
import {
  type BouncerFault,
  changeSettings,
  channel,
  countQueries,
  crowd,
  device,
  drops,
  forgetIntents,
  hangs,
  pendingPayloads,
  plannedPushes,
  plannedRemovals,
  pushKey,
  refuses,
  runCalls,
  runIntents,
  send,
  subscribe,
  type TestAccount,
  type TestChannel,
  testSite,
  toChannel,
  phonePayloads,
  toUsers,
  unheard,
  unsubscribe,
  useFakeBouncer,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("the job send-pushes", () => {
  const scene = useScene();
  const bouncer = useFakeBouncer();
  let receiver: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    await forgetIntents(db, planPushes, sendPushes, removePushes);
    await db.prisma.clientDevice.deleteMany();
    receiver = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [receiver, org.owner, org.member] });
    await device(db, receiver, { active: 1 });
  });

  /** Plans the pushes, then runs the jobs that are due. */
  const push = async (attempt = 1, config = bouncer.config) => {
    await plannedPushes(scene.db);
    return runCalls(scene.db, sendPushes, config, { attempt });
  };
  const received = () => phonePayloads(bouncer.handedOver);
  const mention = (to = receiver) => `@**${to.fullName}**`;
  const flagged = async () => {
    const rows = await scene.db.rows<{ id: number }>(
      "SELECT message_id AS id FROM user_messages WHERE user_id = $1 AND flags & 512 <> 0",
      [receiver.id],
    );
    return rows.map(({ id }) => id);
  };
  const mark = (id: number) =>
    scene.as(receiver).post("/api/v1/messages/flags", { messages: [id], op: "add", flag: "read" });

  describe("sends", () => {
    it("the participants and the content of a direct message", async () => {
      const { org } = scene;
      const { realm, owner, member } = org;
      const id = await send(
        scene.as(owner),
        toUsers([receiver.id, member.id], { content: "**Hello** :tada:\n> you" }),
      );
      await push();
      const [payload, ...more] = await received();
      expect(more).to.deep.equal([]);
      expect(payload).to.include({
        type: "message",
        realm_url: `http://${realm.subdomain}.carillon.test`,
        realm_name: realm.name,
        user_id: receiver.id,
        message_id: id,
        sender_id: owner.id,
        sender_full_name: owner.fullName,
        recipient_type: "direct",
        content: "Hello 🎉\n> you",
      });
      const { sentAt } = await scene.db.prisma.message.findUniqueOrThrow({ where: { id } });
      expect(payload?.["time"]).to.equal(Math.floor(sentAt.getTime() / 1_000));
      expect(payload?.["recipient_user_ids"]).to.deep.equal(
        [owner.id, member.id, receiver.id].toSorted((a, b) => a - b),
      );
      expect(payload?.["sender_avatar_url"]).to.match(/^https?:\/\//);
      expect(payload).to.not.have.any.keys("mentioned_user_group_id", "channel_id");
      expect(await flagged()).to.deep.equal([id]);
    });

    it("both participants of a conversation of two, with the device's current key", async () => {
      const { db, org } = scene;
      await send(scene.as(org.owner), toUsers([receiver.id]));
      await plannedPushes(db);
      const { push_key, push_key_id } = pushKey(7, 7);
      await db.prisma.clientDevice.updateMany({
        where: { userId: receiver.id },
        data: { pushKey: Buffer.from(push_key, "base64"), pushKeyId: push_key_id },
      });
      await push();
      const [payload] = await phonePayloads(bouncer.handedOver, 7);
      expect(payload?.["recipient_user_ids"]).to.deep.equal(
        [org.owner.id, receiver.id].toSorted((a, b) => a - b),
      );
      expect(bouncer.handedOver[0]?.push_requests[0]?.payload.push_key_id).to.equal(7);
    });

    it("channel and topic of a channel message, and the name of a mentioned group", async () => {
      const { db, org } = scene;
      const group = await userGroup(db, org.realm, { members: [receiver] });
      await send(
        scene.as(org.owner),
        toChannel(room.id, { topic: "", content: `@*${group.name}* ${"x".repeat(300)}` }),
      );
      await push();
      const [payload] = await received();
      expect(payload).to.include({
        recipient_type: "channel",
        channel_id: room.id,
        channel_name: room.name,
        topic: "general chat",
        mentioned_user_group_id: group.id,
        mentioned_user_group_name: group.name,
      });
      const begin = `@${group.name} `;
      expect(payload?.["content"]).to.equal(`${begin}${"x".repeat(200 - begin.length)}…`);
    });

    it("nothing about the sender to a guest who cannot see them", async () => {
      const { db, org } = scene;
      const { realm, owner, groups } = org;
      const guest = await user(db, realm, { role: 600 });
      const loner = await user(db, realm);
      await subscribe(db, room, guest);
      await device(db, guest, { active: 2, key: { id: 1, fill: 2 } });
      await db.prisma.realm.update({
        where: { id: realm.id },
        data: { canAccessAllUsersGroupId: groups["role:members"] },
      });
      try {
        const content = `${mention(guest)} ${mention()}`;
        await send(scene.as(loner), toChannel(room.id, { content: "@**all** hello" }));
        await send(scene.as(owner), toChannel(room.id, { content }));
        await push();
      } finally {
        await db.prisma.realm.update({
          where: { id: realm.id },
          data: { canAccessAllUsersGroupId: groups["role:everyone"] },
        });
      }
      const names = async (fill: number) =>
        (await phonePayloads(bouncer.handedOver, fill)).map((each) => each["sender_full_name"]);
      expect(await names(2)).to.deep.equal(["Unknown user", owner.fullName]);
      expect(await names(1)).to.deep.equal([loner.fullName, owner.fullName]);
      const [hidden] = await phonePayloads(bouncer.handedOver, 2);
      expect(hidden?.["sender_avatar_url"]).to.equal(
        `${testSite().url}/avatar/${loner.id}?version=1`,
      );
    });

    it("to each device separately, and not to devices that are being registered", async () => {
      const { db, org } = scene;
      await device(db, receiver, { active: 2, kind: "apns" });
      await device(db, receiver, { active: 3, pending: 4 });
      await device(db, receiver, { pending: 5 });
      await send(scene.as(org.owner), toUsers([receiver.id]));
      await push();
      expect(bouncer.handedOver).to.have.length(1);
      const [body] = bouncer.handedOver;
      const requests = body?.push_requests ?? [];
      expect(requests.map(({ token_id }) => token_id)).to.deep.equal(
        [1, 2, 3].map((fill) => Buffer.alloc(8, fill).toString("base64")),
      );
      const { uuid } = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
      expect(body?.realm_uuid).to.equal(uuid);
      expect(new Set(requests.map(({ payload }) => payload.encrypted_data)).size).to.equal(3);
      expect(await received()).to.have.length(3);
    });

    it("all notifications in one call, except notifications too large for every provider", async () => {
      const { db, org } = scene;
      const people = await crowd(db, receiver, 1_500);
      const to = [receiver, ...people].map(({ id }) => id);
      await send(scene.as(org.owner), toUsers(to));
      await push();
      expect(bouncer.calls).to.deep.equal([]);

      const id = await send(scene.as(org.owner), toUsers([receiver.id]));
      await plannedPushes(db);
      // As where both were sent in one transaction.
      await db.rows(
        `WITH whole AS (SELECT jsonb_agg(push) AS pushes FROM job_intent, jsonb_array_elements(payload->'pushes') AS push
           WHERE job = $1)
         UPDATE job_intent SET payload = jsonb_build_object('pushes', pushes) FROM whole WHERE job = $1 AND state = 'pending'`,
        [sendPushes.name],
      );
      await runCalls(db, sendPushes, bouncer.config);
      expect((await received()).map((each) => each["message_id"])).to.deep.equal([id]);
    });

    it("the fewest calls, with the same statements for one notification as for many", async () => {
      const { db, org } = scene;
      const people = await crowd(db, receiver, 150);
      await subscribe(db, room, ...people);
      await send(scene.as(org.owner), toChannel(room.id, { content: mention() }));
      const few = await countQueries(db, () => push());
      await db.rows(
        `INSERT INTO client_devices (user_id, push_key, push_key_id, push_token_id, push_token_kind)
         SELECT id, decode(rpad('31', 66, '0'), 'hex'), 1, int8send(id), 'fcm' FROM unnest($1::int[]) AS id`,
        [people.map(({ id }) => id)],
      );
      await send(scene.as(org.owner), toChannel(room.id, { content: "@**all**" }));
      const many = await countQueries(db, () => push());
      expect(many.count).to.equal(few.count, many.statements.join("\n"));
      expect(bouncer.handedOver.map((body) => body.push_requests.length)).to.deep.equal([1, 151]);
    });
  });

  describe("sends nothing", () => {
    let id: number;
    beforeEach(async () => {
      id = await send(scene.as(scene.org.owner), toChannel(room.id, { content: mention() }));
      await plannedPushes(scene.db);
    });
    afterEach(async () => {
      await push();
      expect(bouncer.calls).to.deep.equal([]);
      expect(await flagged()).to.deep.equal([]);
      expect(await plannedRemovals(scene.db)).to.deep.equal([]);
    });

    it("about a message that was read meanwhile", () => mark(id));
    it("about a deleted message", () => scene.as(scene.org.owner).delete(`/api/v1/messages/${id}`));
    it("about a message in a channel that the account has left", () =>
      unsubscribe(scene.db, room, receiver));
    it("to a deactivated account", () =>
      scene.db.prisma.user.update({ where: { id: receiver.id }, data: { isActive: false } }));
  });

  it("sends nothing without a push service", async () => {
    await send(scene.as(scene.org.owner), toUsers([receiver.id]));
    await plannedPushes(scene.db);
    await runIntents(scene.db, sendPushes);
    expect(await pendingPayloads(scene.db, sendPushes)).to.deep.equal([]);
    expect(await flagged()).to.deep.equal([]);
  });

  it("sends the message's current content", async () => {
    const { org } = scene;
    const id = await send(scene.as(org.owner), toChannel(room.id, { content: mention() }));
    await plannedPushes(scene.db);
    await scene.as(org.owner).patch(`/api/v1/messages/${id}`, { content: `new ${mention()}` });
    await push();
    expect((await received()).map(({ content }) => content)).to.deep.equal([
      `new ${mention().replaceAll("*", "")}`,
    ]);
  });

  describe("with a bouncer", () => {
    const fails = async (fault: BouncerFault) => {
      bouncer.behave({ fault });
      const config = { ...bouncer.config, ...(fault === hangs && { timeoutMs: 2_000 }) };
      const failed = await push(1, config).then(
        () => undefined,
        (error: unknown) => error,
      );
      bouncer.behave({});
      return failed;
    };
    const begin = async () => {
      const id = await send(scene.as(scene.org.owner), toUsers([receiver.id]));
      await plannedPushes(scene.db);
      return id;
    };

    for (const [name, fault] of Object.entries({
      "that hangs": hangs,
      "that drops calls": drops,
      "that fails": refuses(500, "INTERNAL"),
      "that has notified, and whose answer is lost": unheard,
    }))
      it(`${name}: retries with the same key, and notifies once`, async () => {
        const id = await begin();
        expect(await fails(fault)).to.be.an("error");
        expect(await flagged()).to.deep.equal([id]);
        await push(2);
        expect((await received()).map((each) => each["message_id"])).to.deep.equal([id]);
        const keys = bouncer.calls.map(({ idempotencyKey }) => idempotencyKey);
        expect(keys).to.have.length(2);
        expect(new Set(keys).size).to.equal(1);
        expect(keys[0]).to.match(/^send-pushes-\d+-v1$/);
        expect(await plannedRemovals(scene.db)).to.deep.equal([]);
      });

    describe("and very many devices", () => {
      let ids: number[];
      beforeEach(async () => {
        const people = await crowd(scene.db, receiver, 5);
        ids = people.map(({ id }) => id);
        await subscribe(scene.db, room, ...people);
      });
      /** Registers devices `first` to `last` of each of them. */
      const register = (first: number, last: number) =>
        scene.db.rows(
          `INSERT INTO client_devices (user_id, push_key, push_key_id, push_token_id, push_token_kind)
           SELECT id, decode(rpad('31', 66, '0'), 'hex'), 1, int8send(n * 1000000000 + id), 'fcm'
           FROM unnest($1::int[]) AS id, generate_series($2::bigint, $3::bigint) AS n`,
          [ids, first, last],
        );
      /** Sends a message that is planned with a device each, and registers the others before it is pushed. */
      const beginWith = async (devices: number) => {
        await register(1, 1);
        await send(scene.as(scene.org.owner), toChannel(room.id, { content: "@**all**" }));
        await plannedPushes(scene.db);
        await register(2, devices);
      };
      const sizes = () => bouncer.handedOver.map((body) => body.push_requests.length);
      const assertOnce = async () => {
        const notified = bouncer.handedOver.flatMap((body) =>
          body.push_requests.map(({ token_id }) => token_id),
        );
        expect(notified).to.have.length(new Set(notified).size);
        expect(await pendingPayloads(scene.db, sendPushes)).to.deep.equal([]);
      };

      it("that fails partway: notifies each device once, even if devices are added and removed meanwhile", async () => {
        await beginWith(90);
        // The bouncer hands over the second part, and its answer is lost.
        let calls = 0;
        await fails((call, hands) => (++calls === 2 ? unheard(call, hands) : hands.accept()));
        expect(sizes()).to.deep.equal([361, 90]);
        await scene.db.rows("DELETE FROM client_devices WHERE push_token_id = ANY($1::bytea[])", [
          bouncer.handedOver[0]?.push_requests
            .slice(0, 50)
            .map(({ token_id }) => Buffer.from(token_id, "base64")),
        ]);
        await register(91, 92);
        await push(2);
        await assertOnce();
      });

      it("that was called by a killed worker: notifies each device once, even if devices are added meanwhile", async () => {
        await beginWith(79);
        await fails(unheard);
        expect(sizes()).to.deep.equal([396]);
        await register(80, 81);
        // A killed worker's job runs again as the same attempt.
        await push(1);
        expect(sizes()).to.deep.equal([396, 10]);
        await assertOnce();
      });

      it("that was called before: repeats the call with the 500 oldest devices", async () => {
        await beginWith(79);
        await fails(unheard);
        await register(80, 101);
        await push(2);
        expect(sizes()).to.deep.equal([396, 104]);
        await assertOnce();
      });
    });

    it("that fails: stops retrying once the message is read, and removes the notification", async () => {
      const id = await begin();
      await fails(unheard);
      await mark(id);
      await push(2);
      expect(bouncer.calls).to.have.length(1);
      expect(await plannedRemovals(scene.db)).to.deep.include({
        userId: receiver.id,
        messageIds: [id],
      });
    });

    it("that refuses permanently: gives up, and stores the reason in the row", async () => {
      await begin();
      await fails(refuses(400, "BAD_REQUEST"));
      const row = await scene.db.prisma.jobIntent.findFirstOrThrow({
        where: { job: sendPushes.name },
      });
      expect(row.state).to.equal("dead");
      expect(row.lastError).to.be.a("string");
    });

    it("that has not accepted it for two hours: gives up without a call", async () => {
      const { db } = scene;
      await begin();
      const later = (by: string) =>
        db.rows("UPDATE job_intent SET run_at = run_at - $2::interval WHERE job = $1", [
          sendPushes.name,
          by,
        ]);
      await later("119 minutes");
      await fails(refuses(429, "RATE_LIMIT_HIT"));
      const states = async () =>
        (await db.prisma.jobIntent.findMany({ where: { job: sendPushes.name } })).map(
          ({ state }) => state,
        );
      expect(await states()).to.deep.equal(["pending"]);
      await later("2 minutes");
      expect(await push().catch((error: unknown) => error)).to.be.instanceOf(GiveUp);
      expect(await states()).to.deep.equal(["dead"]);
      expect(bouncer.calls).to.have.length(1);
    });

    it("that answers after the message is read: removes the notification afterwards", async () => {
      const id = await begin();
      bouncer.behave({
        fault: async (_call, { accept }) => {
          await mark(id);
          return accept();
        },
      });
      await push();
      const both = { userId: receiver.id, messageIds: [id] };
      expect(await plannedRemovals(scene.db)).to.deep.equal([both, both]);
      expect(await flagged()).to.deep.equal([]);
    });
  });

  it("keeps keys, tokens and contents out of logs and rows of jobs", async () => {
    const { db, org } = scene;
    await changeSettings(db, receiver, { enable_stream_push_notifications: true });
    await send(scene.as(org.owner), toChannel(room.id, { content: "a very secret word" }));
    const logged = [];
    bouncer.behave({ fault: refuses(500, "INTERNAL") });
    await push().catch((error: unknown) => logged.push(String(error)));
    bouncer.behave({});
    for (const { logLines } of await push(2)) logged.push(JSON.stringify(logLines));
    expect(await received()).to.have.length(1);
    const rows = await db.rows<{ text: string }>("SELECT job_intent::text AS text FROM job_intent");
    const { pushKey: key, pushTokenId: token } = await db.prisma.clientDevice.findFirstOrThrow();
    const kept = [...logged, ...rows.map(({ text }) => text)].join("\n");
    for (const text of ["very secret", ...forms(key), ...forms(token)])
      expect(kept).to.not.include(text);
  });
});

function forms(bytes: Uint8Array | null): string[] {
  const buffer = Buffer.from(bytes ?? "none");
  return [buffer.toString("hex"), buffer.toString("base64")];
}
