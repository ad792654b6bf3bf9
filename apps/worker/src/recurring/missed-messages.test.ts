import { findUnsubscribe, followLogs, recordDueMails, unsubscribe } from "@carillon/domain";
import { mailMissedMessages } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { type Mail, MailRefused } from "@carillon/mail";
import {
  bot,
  changeOrganization,
  changeSettings,
  channel,
  countQueries,
  countWaiting,
  crowd,
  deactivateUser,
  forgetIntents,
  muteUser,
  organization,
  pendingPayloads,
  runIntents,
  runJob,
  scheduledMessage,
  send,
  setTopicPolicy,
  subscribe,
  type TestAccount,
  type TestChannel,
  testSite,
  toChannel,
  toUsers,
  user,
  useScene,
  waitFor,
  watch,
} from "@carillon/testkit";
import { startTask } from "@carillon/scheduling";
import { expect } from "chai";

import missedMessagesTask from "./missed-messages.ts";

describe("Mails about missed messages", () => {
  const scene = useScene();
  let receiver: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    receiver = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [receiver, org.owner, org.member] });
    await follow();
    await db.prisma.missedMail.deleteMany();
    await forgetIntents(db, mailMissedMessages);
  });

  const follow = async () => {
    while ((await followLogs(scene.db, 500, new AbortController().signal)) === "more");
  };
  const record = async () => {
    while ((await recordDueMails(scene.db, 500)) === "more");
  };
  const allDue = () =>
    scene.db.rows("UPDATE missed_mails SET due_at = now() WHERE since IS NOT NULL");
  /** The mails after all batching periods. */
  const mails = async (): Promise<Mail[]> => {
    await follow();
    await allDue();
    await record();
    const runs = await runIntents(scene.db, mailMissedMessages);
    await forgetIntents(scene.db, mailMissedMessages);
    return runs.flatMap(({ mail }) => mail);
  };
  const mailsTo = async (to = receiver) =>
    (await mails()).filter((mail) => mail.to === to.deliveryEmail);
  const waiting = (of = receiver) =>
    scene.db.prisma.missedMail.findUnique({ where: { userId: of.id } });
  const sendIn = (content: string, by = scene.org.owner) =>
    send(scene.as(by), toChannel(room.id, { content }));
  const sendTo = (content: string, ...to: readonly TestAccount[]) =>
    send(
      scene.as(scene.org.owner),
      toUsers(
        to.map(({ id }) => id),
        { content },
      ),
    );
  const mention = (to = receiver) => `@**${to.fullName}**`;
  const setSubscription = (data: object) =>
    scene.db.prisma.subscription.update({
      where: { channelId_userId: { channelId: room.id, userId: receiver.id } },
      data,
    });
  /** Makes an organization whose log has a message event without a message. */
  const brokenOrganization = async () => {
    const { db } = scene;
    const broken = await organization(db);
    await db.rows("UPDATE event_head SET seq = seq + 1 WHERE realm_id = $1", [broken.realm.id]);
    await db.rows(
      `INSERT INTO event_log (realm_id, seq, type, payload, audience)
       SELECT realm_id, seq, 'message', '{"message": {"id": "none"}}', '{1}' FROM event_head WHERE realm_id = $1`,
      [broken.realm.id],
    );
    return broken;
  };
  const read = (...ids: readonly number[]) =>
    scene.as(receiver).post("/api/v1/messages/flags", { messages: ids, op: "add", flag: "read" });

  describe("are sent", () => {
    it("for a direct message: names, time, content, links, and how to end them", async () => {
      const { org } = scene;
      await changeSettings(scene.db, receiver, {});
      const id = await sendTo("Dinner at **eight**?\nhttp://evil.test", receiver);
      const [mail, ...others] = await mailsTo();
      if (!mail) throw new Error("no mail");
      expect(others).to.deep.equal([]);
      const url = `http://${org.realm.subdomain}.carillon.test`;
      const ids = [org.owner.id, receiver.id].toSorted((a, b) => a - b).join(",");
      expect(mail.subject).to.equal(`Direct messages with ${org.owner.fullName}`);
      expect(mail.senderName).to.equal(org.realm.name);
      expect(mail.text).to.match(
        new RegExp(`^Hello .*,\n\nyou have missed 1 message at ${org.realm.name}\\.\n\n`),
      );
      expect(mail.text).to.include(`\n${url}/#narrow/dm/${ids}-dm/near/${id}\n`);
      expect(mail.text).to.include("(UTC):\n> Dinner at eight?\n> http://evil.test\n");
      expect(mail.text).to.include("Replies to this mail are not read");
      expect(mail.text).to.include(mail.unsubscribeUrl);
      expect(mail.unsubscribeUrl).to.match(
        new RegExp(`^${url}/accounts/unsubscribe/missed_messages/${receiver.id}x[0-9a-f]{40}$`),
      );
    });

    it("for mentions, by name, group or wildcard, in one mail per person", async () => {
      await sendIn(`${mention()} one`);
      await sendIn("@**all** two");
      await sendTo("three", receiver);
      const [mail, ...others] = await mailsTo();
      expect(others).to.deep.equal([]);
      expect(mail?.subject).to.equal("3 missed messages in several conversations");
      expect(mail?.text).to.match(/> .*one\n[^]*> .*two\n[^]*> three\n/);
      expect(mail?.text).to.include(`#${room.name} > lunch\n`);
      expect(await mailsTo(), "nothing new").to.deep.equal([]);
    });

    it("for channels with mails, by the subscription's setting before the account's", async () => {
      const count = async () => {
        await sendIn("hello");
        return (await mailsTo()).length;
      };
      expect(await count()).to.equal(0);
      await setSubscription({ emailNotifications: true });
      expect(await count()).to.equal(1);
      await setSubscription({ emailNotifications: true, isMuted: true });
      expect(await count()).to.equal(0);
      await setSubscription({ emailNotifications: null, isMuted: false });
      await changeSettings(scene.db, receiver, { enable_stream_email_notifications: true });
      expect(await count()).to.equal(1);
      await setSubscription({ emailNotifications: false });
      expect(await count()).to.equal(0);
    });

    it("for followed topics, unless the setting is off", async () => {
      await setTopicPolicy(scene.db, receiver, room.id, "LUNCH", "followed");
      await sendIn("hello");
      expect(await mailsTo()).to.have.length(1);
      await changeSettings(scene.db, receiver, {
        enable_followed_topic_email_notifications: false,
      });
      await sendIn("hello");
      expect(await mailsTo()).to.deep.equal([]);
    });
  });

  describe("are not sent", () => {
    it("to senders, bots, deactivated accounts, and those who muted the sender or turned mails off", async () => {
      const { db, org } = scene;
      const robot = await bot(db, org.owner);
      const gone = await user(db, org.realm);
      const offline = await user(db, org.realm);
      await changeSettings(db, offline, { enable_offline_email_notifications: false });
      await sendTo("hello", org.owner, robot, gone, offline, receiver);
      await deactivateUser(db, gone);
      await muteUser(db, receiver, org.owner);
      expect(await mails()).to.deep.equal([]);
    });

    it("about messages that were read, deleted or made unreadable meanwhile", async () => {
      const { db, org } = scene;
      const [readOne, deleted, kept] = [
        await sendIn(`${mention()} read`),
        await sendIn(`${mention()} deleted`),
        await sendTo("kept", receiver),
      ];
      const other = await channel(db, org.realm, { subscribers: [receiver, org.owner] });
      await send(scene.as(org.owner), toChannel(other.id, { content: `${mention()} left` }));
      await follow();
      expect((await waiting())?.messageIds).to.have.length(4);
      await read(readOne);
      await scene.as(org.owner).delete(`/api/v1/messages/${deleted}`);
      await db.prisma.subscription.updateMany({
        where: { userId: receiver.id, channelId: other.id },
        data: { active: false },
      });
      const [mail] = await mailsTo();
      expect(mail?.text).to.include(`near/${kept}\n`);
      expect(mail?.text).to.match(/missed 1 message at /);
      expect(mail?.text).to.not.match(/> .*(?:read|deleted|left)\n/);
    });

    it("while the person is present, and are sent once they have gone", async () => {
      const { db } = scene;
      await scene.as(receiver).post("/api/v1/register", { event_types: ["message"] });
      await db.rows(
        `INSERT INTO user_presence (user_id, realm_id, active_at, idle_at) VALUES ($1, $2, now(), now())`,
        [receiver.id, receiver.realmId],
      );
      await sendTo("hello", receiver);
      expect(await mailsTo()).to.deep.equal([]);
      expect((await waiting())?.dueAt).to.be.above(new Date(Date.now() + 100_000));
      await db.rows(
        "UPDATE user_presence SET active_at = now() - interval '141 s' WHERE user_id = $1",
        [receiver.id],
      );
      expect(await mailsTo()).to.have.length(1);
    });

    it("for the greeting of the welcome bot", async () => {
      const { db, org } = scene;
      const made = await scene.as(org.owner).post("/api/v1/users", {
        email: "new@example.test",
        full_name: "New",
        password: "correct horse battery",
      });
      const userId = Number(made.body["user_id"]);
      expect(await db.prisma.userMessage.count({ where: { userId } })).to.equal(1);
      await follow();
      expect(await db.prisma.missedMail.count({ where: { userId } })).to.equal(0);
    });

    it("before the batching period is over, which later changes move", async () => {
      await sendTo("first", receiver);
      await follow();
      const first = await waiting();
      expect(Number(first?.dueAt) - Number(first?.since)).to.equal(120_000);
      await sendTo("second", receiver);
      await follow();
      const both = await waiting();
      expect(both).to.deep.include({ dueAt: first?.dueAt, since: first?.since });
      expect(both?.messageIds).to.have.length(2);
      await record();
      expect(await pendingPayloads(scene.db, mailMissedMessages)).to.deep.equal([]);
      const change = (seconds: number) =>
        scene.as(receiver).patch("/api/v1/settings", {
          email_notifications_batching_period_seconds: seconds,
        });
      await change(3_600);
      const moved = await waiting();
      expect(Number(moved?.dueAt) - Number(moved?.since)).to.equal(3_600_000);
    });
  });

  it("name no content, sender or place where the person or the organization does not allow it", async () => {
    const { db, org } = scene;
    const hidden = async () => {
      await sendIn(`${mention()} secret`);
      const [mail] = await mailsTo();
      expect(mail?.subject).to.equal("New messages");
      for (const text of ["secret", org.owner.fullName, room.name, "lunch"])
        expect(mail?.text).to.not.include(text);
      expect(mail?.text).to.include("you have missed 1 message at");
    };
    await changeSettings(db, receiver, { message_content_in_email_notifications: false });
    await hidden();
    await changeSettings(db, receiver, { message_content_in_email_notifications: true });
    await changeOrganization(db, org.realm, { contentAllowedInEmailNotifications: false });
    try {
      await hidden();
    } finally {
      await changeOrganization(db, org.realm, { contentAllowedInEmailNotifications: true });
    }
  });

  it("have the organization's name in the subject as the setting wants", async () => {
    const { db, org } = scene;
    for (const [policy, begins] of [
      [1, "Direct"],
      [2, `[${org.realm.name}] Direct`],
      [3, "Direct"],
    ] as const) {
      await changeSettings(db, receiver, { realm_name_in_email_notifications_policy: policy });
      await sendTo("hello", receiver);
      expect((await mailsTo())[0]?.subject.startsWith(begins), String(policy)).to.equal(true);
    }
  });

  it("are one small mail for a person with 10,000 missed messages", async () => {
    const { db, org } = scene;
    const id = await sendTo("x".repeat(9_000), receiver);
    await db.rows(
      `WITH copied AS (
         INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
           render_version, client_id)
         SELECT realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content, render_version, client_id
         FROM messages, generate_series(1, 9999) WHERE id = $1 RETURNING id
       ), copies AS (
         INSERT INTO user_messages (user_id, message_id, flags) SELECT $2, id, 256 FROM copied
       ), head AS (UPDATE event_head SET seq = seq + 9999 WHERE realm_id = $3 RETURNING seq - 9999 AS seq)
       INSERT INTO event_log (realm_id, seq, type, payload, audience)
       SELECT $3, head.seq + row_number() OVER (ORDER BY id), 'message',
         json_build_object('message', json_build_object('id', id), 'flags', '[]'::json), ARRAY[$2::int, $4]
       FROM copied, head`,
      [id, receiver.id, org.realm.id, org.owner.id],
    );
    await follow();
    expect(await waiting()).to.include({ more: 9_900 });
    const [mail, ...others] = await mailsTo();
    expect(others).to.deep.equal([]);
    expect(mail?.text.length).to.be.below(15_000);
    expect(mail?.text).to.include("you have missed up to 10000 messages");
    expect(mail?.text).to.include("Up to 9980 messages more: ");
  });

  it("look at each message once, however the events are split, and if two processes try", async () => {
    const { db } = scene;
    await sendTo("one", receiver);
    await scene.as(receiver).post("/api/v1/typing", { op: "start", to: [scene.org.owner.id] });
    await sendTo("two", receiver);
    const signal = new AbortController().signal;
    while ((await followLogs(db, 1, signal)) === "more") await followLogs(db, 1, signal);
    await Promise.all([follow(), follow()]);
    expect((await waiting())?.messageIds).to.have.length(2);
    await allDue();
    await Promise.all([record(), record()]);
    expect(await pendingPayloads(db, mailMissedMessages)).to.have.length(1);
  });

  it("take events of at most 20,000 receivers in a transaction, and a message of more receivers alone", async () => {
    const { db, org } = scene;
    const id = await sendTo("one", receiver);
    await follow();
    const log = async (type: string, ...receivers: readonly number[]) => {
      const [head] = await db.rows<{ seq: number }>(
        "UPDATE event_head SET seq = seq + $2 WHERE realm_id = $1 RETURNING seq",
        [org.realm.id, receivers.length],
      );
      await db.rows(
        `INSERT INTO event_log (realm_id, seq, type, payload, audience)
         SELECT $1, $2 + place, $3, jsonb_build_object('message', jsonb_build_object('id', $4::bigint)),
           ARRAY(SELECT generate_series(1, size))
         FROM unnest($5::int[]) WITH ORDINALITY AS t (size, place)`,
        [org.realm.id, (head?.seq ?? 0) - receivers.length, type, id, receivers],
      );
    };
    await log("message", 15_000, 5_000);
    await log("typing", 30_000);
    await log("message", 1, 30_000, 20_000);
    const { statements } = await countQueries(db, follow);
    const moves = statements.filter((text) => text.includes("INSERT INTO missed_mail_places"));
    expect(moves).to.have.length(4);
  });

  it("wait up to 30 seconds while the organization delivers due messages, and in no other one", async () => {
    const { db } = scene;
    const busy = await organization(db);
    const to = await channel(db, busy.realm, { subscribers: [busy.owner] });
    await scheduledMessage(db, busy.owner, to, { content: "Due", topic: "t", dueIn: -5 });
    await send(scene.as(busy.owner), toUsers([busy.member.id], { content: "one" }));
    await sendTo("two", receiver);
    await follow();
    expect(await waiting(busy.member), "followed while messages are due").to.equal(null);
    expect((await waiting())?.messageIds).to.have.length(1);
    await db.rows("UPDATE event_log SET created_at = created_at - interval '31 seconds'");
    await follow();
    expect((await waiting(busy.member))?.messageIds).to.have.length(1);

    const mailed = async () =>
      (await pendingPayloads(db, mailMissedMessages)).map(({ userId }) => userId);
    await allDue();
    await record();
    expect(await mailed()).to.deep.equal([receiver.id]);
    await db.rows("UPDATE missed_mails SET due_at = due_at - interval '31 seconds'");
    await record();
    expect(await mailed()).to.deep.equal([receiver.id, busy.member.id]);
  });

  it("cost the same statements for a mention of a thousand people, and none when a message is sent", async () => {
    const { db, org } = scene;
    await sendIn(mention());
    const one = await countQueries(db, () => sendIn(mention()));
    const intents = await db.prisma.jobIntent.count();
    await follow();
    await sendIn(mention());
    const few = await countQueries(db, follow);
    const people = await crowd(db, receiver, 1_000);
    await subscribe(db, room, ...people);
    const all = await countQueries(db, () => sendIn(`@**all** ${mention()}`));
    expect(all.count).to.equal(one.count);
    expect(await db.prisma.jobIntent.count(), "no job is recorded").to.equal(intents);
    const many = await countQueries(db, follow);
    expect(many.count).to.equal(few.count);
    expect(await db.prisma.missedMail.count({ where: { realmId: org.realm.id } })).to.equal(1_002);
  });

  it("wait in a deactivated organization", async () => {
    const { db, org } = scene;
    await sendTo("hello", receiver);
    await follow();
    await allDue();
    await changeOrganization(db, org.realm, { deactivated: true });
    try {
      await record();
      expect(await pendingPayloads(db, mailMissedMessages)).to.deep.equal([]);
    } finally {
      await changeOrganization(db, org.realm, { deactivated: false });
    }
    expect(await mailsTo()).to.have.length(1);
  });

  it("are found although the log of another organization cannot be read", async () => {
    const { db, org } = scene;
    const broken = await brokenOrganization();
    // Organizations are taken in the order of their ids.
    const last = await organization(db);
    const { member, owner } = last;
    await send(scene.as(owner), toUsers([member.id]));
    const failure = await follow().catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(AggregateError);
    expect((await waiting(member))?.messageIds).to.have.length(1);
    await db.rows("DELETE FROM event_log WHERE realm_id = $1", [broken.realm.id]);
    await follow();
    expect(org.realm.id).to.be.below(broken.realm.id);
  });

  it("report a log that cannot be read although another process goes on with the next one", async () => {
    const { db } = scene;
    const broken = await brokenOrganization();
    const next = await organization(db);
    await send(scene.as(next.owner), toUsers([next.member.id]));
    const placeOf = (id: number) =>
      db.rows(
        `INSERT INTO missed_mail_places AS p (realm_id, seq) VALUES ($1, 0)
         ON CONFLICT (realm_id) DO UPDATE SET seq = p.seq`,
        [id],
      );
    await Promise.all([placeOf(broken.realm.id), placeOf(next.realm.id)]);
    let followed: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM missed_mail_places WHERE realm_id = $1 FOR NO KEY UPDATE", [
        broken.realm.id,
      ]);
      followed = follow().catch((error: unknown) => error);
      await waitFor(async () => (await countWaiting(db.pool)) === 1, {
        what: "the first log is followed",
      });
      // What the other process does.
      await db.rows(
        "UPDATE missed_mail_places p SET seq = h.seq FROM event_head h WHERE h.realm_id = $1 AND p.realm_id = $1",
        [next.realm.id],
      );
    });
    expect(await followed).to.be.instanceOf(AggregateError);
    expect(await waiting(next.member)).to.equal(null);
    await db.rows("DELETE FROM event_log WHERE realm_id = $1", [broken.realm.id]);
    await follow();
  });

  it("are found and recorded by the recurring work itself", async () => {
    const { db } = scene;
    await changeSettings(db, receiver, { email_notifications_batching_period_seconds: 1 });
    await sendTo("hello", receiver);
    await db.rows("UPDATE event_log SET created_at = created_at - interval '2 seconds'");
    const task = startTask(missedMessagesTask, { db, log: silentLogger });
    await task.run();
    await task.stop();
    const [payload, ...others] = await pendingPayloads(db, mailMissedMessages);
    expect(others).to.deep.equal([]);
    expect(payload).to.deep.include({ userId: receiver.id, more: 0 });
  });

  describe("with a mail server in trouble", () => {
    const failing = (error: Error) => {
      const mailer = {
        about: "fails",
        async send() {
          throw error;
        },
      };
      return { services: { mailer } };
    };
    const plan = async () => {
      await follow();
      await allDue();
      await record();
      return scene.db.prisma.jobIntent.findMany({ where: { job: mailMissedMessages.name } });
    };

    it("are one mail with the same id after a retry, and the next one waits", async () => {
      const { db } = scene;
      await sendTo("one", receiver);
      const [intent] = await plan();
      const ref = { intentId: Number(intent?.id), version: 1 };
      const away = await runJob(db, mailMissedMessages, ref, failing(new Error("away"))).catch(
        (error: Error) => error.message,
      );
      expect(away).to.equal("away");
      await sendTo("two", receiver);
      expect(await plan(), "while the first is pending").to.have.length(1);
      const { mail } = await runJob(db, mailMissedMessages, ref);
      expect(mail.map(({ id }) => id)).to.deep.equal([`missed-messages-${ref.intentId}`]);
      expect((await runJob(db, mailMissedMessages, ref)).mail, "a second run").to.deep.equal([]);
      expect(await plan(), "once it is sent").to.have.length(2);
    });

    it("make one dead letter a day for an address that is refused", async () => {
      const { db } = scene;
      await sendTo("one", receiver);
      const [intent] = await plan();
      const ref = { intentId: Number(intent?.id), version: 1 };
      const refused = new MailRefused("no such mailbox");
      await runJob(db, mailMissedMessages, ref, failing(refused)).catch(() => {});
      await sendTo("two", receiver);
      expect(await plan()).to.have.length(1);
      await db.rows(
        "UPDATE job_intent SET finished_at = now() - interval '25 hours' WHERE id = $1",
        [ref.intentId],
      );
      expect(await plan()).to.have.length(2);
    });
  });

  it("end with the link, and clients see the changed settings", async () => {
    const { db, gateway } = scene;
    await setSubscription({ emailNotifications: true });
    await sendTo("hello", receiver);
    const [mail] = await mailsTo();
    const token = mail?.unsubscribeUrl?.split("/").at(-1) ?? "";
    for (const wrong of [
      token.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
      "",
      `1${token}`,
    ])
      expect(await findUnsubscribe(db, testSite(), wrong), wrong).to.equal(undefined);
    const holder = await findUnsubscribe(db, testSite(), token);
    expect(holder).to.include({ id: receiver.id, address: receiver.deliveryEmail });
    await sendTo("pending", receiver);
    await follow();
    const { events } = await watch(gateway, { events: { account: receiver } }, () =>
      db.transaction((tx) => unsubscribe(tx, holder!)),
    );
    expect(events.map(({ type }) => type)).to.deep.equal([
      "user_settings",
      "user_settings",
      "subscription",
    ]);
    await sendIn(`${mention()} @**all**`);
    await sendTo("more", receiver);
    expect(await mailsTo()).to.deep.equal([]);
    await db.transaction((tx) => unsubscribe(tx, holder!));
  });
});
