import { makeCopies } from "@carillon/jobs";
import { systemClock } from "@carillon/kit";
import { lockAudiencesShared } from "@carillon/model";
import {
  alertWord,
  bot,
  changeSubscription,
  channel,
  killedAfter,
  nth,
  runIntents,
  runJob,
  schedule,
  send,
  setTopicPolicy,
  snapshotOf,
  type TestAccount,
  type TestChannel,
  toChannel,
  toUsers,
  useBlocker,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { withChance } from "../faults/support/chance.ts";
import { deferToday, recordVisit, sendAway } from "./support/away-world.ts";

// docs/decisions/083
describe("Copies of messages for a person who is away", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let person: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    person = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [org.owner, org.member, person] });
  });

  const say = (content = "hello", to = room) =>
    send(scene.as(scene.org.owner), toChannel(to.id, { content }));

  /** The person's copies of messages in the channel. */
  async function copies({ id } = person, of = room): Promise<number[]> {
    const rows = await scene.db.rows<{ id: number }>(
      `SELECT um.message_id::int AS id FROM user_messages um JOIN messages m ON m.id = um.message_id
       WHERE um.user_id = $1 AND m.recipient_id = $2 ORDER BY 1`,
      [id, of.recipientId],
    );
    return rows.map((row) => row.id);
  }

  async function isAway({ id }: TestAccount = person): Promise<boolean> {
    const rows = await scene.db.rows(
      "SELECT FROM subscriptions WHERE user_id = $1 AND deferred_after IS NOT NULL",
      [id],
    );
    return rows.length > 0;
  }

  it("are made before the first answer", async () => {
    const before = await say();
    await sendAway(scene.db, person);
    const [first, second] = [await say(), await say()];
    expect(await copies(), "while away").to.deep.equal([before]);
    const { unread_msgs } = (await snapshotOf(scene.as(person), [
      "message",
      "update_message_flags",
    ])) as {
      unread_msgs: { streams: ReadonlyArray<{ unread_message_ids: readonly number[] }> };
    };
    expect(unread_msgs.streams.flatMap((topic) => topic.unread_message_ids)).to.deep.equal([
      before,
      first,
      second,
    ]);
    expect(await isAway()).to.equal(false);
    const third = await say();
    expect(await copies()).to.deep.equal([before, first, second, third]);
  });

  it("are written at once for messages that mention or may notify the person, and for no others", async () => {
    const { db, org } = scene;
    await alertWord(db, person, "soup");
    await setTopicPolicy(db, person, room, "followed", "followed");
    const wanted = await channel(db, org.realm, { subscribers: [org.owner, person] });
    await changeSubscription(db, wanted, person, { pushNotifications: true });
    await sendAway(db, person);
    const plain = await say();
    const made = [
      await say(`@**${person.fullName}** look`),
      await say("@**all** look"),
      await say("soup"),
      await send(scene.as(org.owner), toChannel(room.id, { topic: "followed" })),
    ];
    expect(await copies()).to.deep.equal(made);
    const pushed = await say("hello", wanted);
    expect(await copies(person, wanted)).to.deep.equal([pushed]);
    const direct = await send(scene.as(org.owner), toUsers([person.id]));
    const rows = await db.rows("SELECT FROM user_messages WHERE user_id = $1 AND message_id = $2", [
      person.id,
      direct,
    ]);
    expect(rows).to.have.length(1);
    await scene.as(org.owner).patch(`/api/v1/messages/${plain}`, {
      content: `@**${person.fullName}** was forgotten`,
    });
    expect(await copies(), "after the edit").to.deep.equal([plain, ...made]);
  });

  it("are not deferred for bots, people who are present, and people with scheduled messages", async () => {
    const { db, org } = scene;
    const robot = await bot(db, org.member);
    const author = await user(db, org.realm);
    const listener = await user(db, org.realm);
    const place = await channel(db, org.realm, {
      subscribers: [org.owner, robot, author, listener, person],
    });
    await schedule(scene.as(author), {
      ...toUsers([author.id]),
      scheduled_delivery_timestamp: Math.floor(systemClock.now() / 1_000) + 86_400,
    });
    await sendAway(db, robot, author, person);
    await snapshotOf(scene.as(listener));
    await db.rows("UPDATE account_visits SET visited_at = now() - interval '30 days'");
    await deferToday(db);
    const id = await say("hello", place);
    for (const account of [robot, author, listener])
      expect(await copies(account, place), account.fullName).to.deep.equal([id]);
    expect(await copies(person, place)).to.deep.equal([]);
  });

  it("are not deferred while a process of an earlier release runs", async () => {
    const { db } = scene;
    await db.rows(
      `INSERT INTO process_heartbeats (process_id, role, host, pid, features)
       VALUES (gen_random_uuid(), 'gateway', 'old', 1, '{conditions,series}')`,
    );
    await sendAway(db, person);
    expect(await isAway(), "with an older gateway").to.equal(false);
    await db.rows("DELETE FROM process_heartbeats WHERE host = 'old'");
    await deferToday(db);
    expect(await isAway(), "without it").to.equal(true);
  });

  it("are not deferred for a person with a failed message, which an operator may schedule again", async () => {
    const { db, org } = scene;
    await schedule(scene.as(person), {
      ...toUsers([org.owner.id]),
      scheduled_delivery_timestamp: Math.floor(systemClock.now() / 1_000) + 86_400,
    });
    await db.rows(
      "UPDATE scheduled_messages SET failed = true, failure_message = 'no' WHERE sender_id = $1",
      [person.id],
    );
    await sendAway(db, person);
    expect(await isAway()).to.equal(false);
  });

  it("exist exactly once each when sending, deferring and making copies run concurrently", () =>
    withChance(async (chance) => {
      const { db, org } = scene;
      const others = [await user(db, org.realm), await user(db, org.realm)];
      const people = [person, ...others];
      const subscribers = [org.owner, ...people];
      const places = [
        await channel(db, org.realm, { subscribers }),
        await channel(db, org.realm, { subscribers }),
      ];
      const sent = new Map<TestChannel, number[]>(places.map((place) => [place, []]));
      let ended = false;
      const sending = async (sender: TestAccount) => {
        for (let n = 0; n < 60; n++) {
          const place = nth(places, chance.below(places.length));
          const id = await send(scene.as(sender), toChannel(place.id, { content: `${n}` }));
          sent.get(place)?.push(id);
        }
      };
      const moving = async (account: TestAccount) => {
        while (!ended) {
          await sendAway(db, account);
          await recordVisit(db, account);
        }
      };
      const walking = Promise.all(people.map(moving));
      await Promise.all([sending(org.owner), sending(org.owner), sending(org.owner)]);
      ended = true;
      await walking;
      for (const account of people)
        for (const place of places) {
          await recordVisit(db, account);
          expect(await copies(account, place), account.fullName).to.deep.equal(
            sent.get(place)?.toSorted((a, b) => a - b),
          );
        }
    })).timeout(120_000);

  it("are made by a job if they are too many for a request, which gets 503", async () => {
    const { db } = scene;
    await sendAway(db, person);
    const ids = [await say(), await say()];
    let refusal: unknown;
    await recordVisit(db, person, 0).catch((error: unknown) => (refusal = error));
    expect(refusal).to.deep.include({ facts: { reason: "unavailable", retryAfter: 2 } });
    expect(await copies()).to.deep.equal([]);
    await runIntents(db, makeCopies);
    expect(await copies()).to.deep.equal(ids);
    expect(await isAway()).to.equal(false);
  });

  it("are made exactly once, at whichever statement of the job the worker is killed", async () => {
    const { db } = scene;
    await sendAway(db, person);
    const ids = [await say(), await say()];
    await recordVisit(db, person, 0).catch(() => {});
    const steps = await db.rows<{ intentId: number; version: number }>(
      `SELECT id AS "intentId", version FROM job_intent WHERE job = 'make-copies' AND state = 'pending'`,
    );
    const step = nth(steps, 0);
    let kills = 0;
    while (await killedAfter(db, kills, (own) => runJob(own, makeCopies, step))) {
      const made = await copies();
      expect(made, `after ${kills} statements`).to.have.length(made.length > 0 ? ids.length : 0);
      kills++;
    }
    expect(kills).to.be.greaterThan(5);
    await runIntents(db, makeCopies);
    expect(await copies()).to.deep.equal(ids);
  }).timeout(60_000);

  for (const setting of ["enable_stream_push_notifications", "enable_stream_email_notifications"])
    it(`are written at once from the moment an administrator turns on ${setting} for the person`, async () => {
      const { db, org } = scene;
      const quiet = await channel(db, org.realm, { subscribers: [org.owner, person] });
      await sendAway(db, person);
      const before = await say();
      const turnOn = async (name: string) => {
        const { body } = await scene.as(org.owner).patch("/api/v1/settings", {
          [name]: true,
          target_users: { user_ids: [person.id] },
        });
        expect(body).to.include({ result: "success" });
      };
      await turnOn("enter_sends");
      const later = await say();
      expect(await copies(), "after another setting").to.deep.equal([]);
      await turnOn(setting);
      const notified = [await say(), await say()];
      expect(await copies(), "while the person stays away").to.deep.equal(notified);
      await deferToday(db);
      const notifiedNextDay = await say("hello", quiet);
      expect(await copies(person, quiet), "the day after").to.deep.equal([notifiedNextDay]);
      expect(await recordVisit(db, person)).to.equal(2);
      expect(await copies(), "back").to.deep.equal([before, later, ...notified]);
      expect(await isAway(), "back").to.equal(false);
    });

  it("exist exactly once each when an administrator turns on notifications while messages are being sent", async () => {
    const { db, org } = scene;
    await sendAway(db, person);
    const first = await say();
    const { settled, sent } = await db.transaction(async (tx) => {
      await lockAudiencesShared(tx, [room.id]);
      const turningOn = scene.as(org.owner).patch("/api/v1/settings", {
        enable_stream_push_notifications: true,
        target_users: { user_ids: [person.id] },
      });
      await blocker.untilWaiting(
        1,
        "the administrator's request waits for the messages being sent",
      );
      return { settled: turningOn, sent: say() };
    });
    expect((await settled).body).to.include({ result: "success" });
    const second = await sent;
    expect(await copies()).to.deep.equal([second]);
    await recordVisit(db, person);
    expect(await copies()).to.deep.equal([first, second]);
  });

  it("are not deferred for a person whose notifications an administrator is turning on", async () => {
    const { db } = scene;
    await blocker.lock(
      `UPDATE users SET settings = settings || '{"enable_stream_push_notifications": true}' WHERE id = $1`,
      [person.id],
    );
    const deferring = sendAway(db, person);
    await blocker.untilWaiting(1, "the deferral waits");
    await blocker.lock("COMMIT");
    await deferring;
    expect(await isAway()).to.equal(false);
  });

  it("are all made by the worker once AWAY_AFTER_DAYS is 0", async () => {
    await sendAway(scene.db, person);
    const id = await say();
    await deferToday(scene.db, 0);
    expect(await copies()).to.deep.equal([id]);
    expect(await isAway()).to.equal(false);
  });

  it("are made for the other people if they cannot be made for one", async () => {
    const { db, org } = scene;
    const next = await user(db, org.realm);
    const place = await channel(db, org.realm, { subscribers: [org.owner, person, next] });
    await sendAway(db, person, next);
    const id = await say("hello", place);
    await db.rows(`ALTER TABLE user_messages ADD CONSTRAINT broken CHECK (user_id <> ${person.id})
      NOT VALID`);
    try {
      let failure: unknown;
      await deferToday(db, 0).catch((error: unknown) => (failure = error));
      expect(failure)
        .to.have.property("message")
        .that.matches(new RegExp(`of 1 person were not made, first of account ${person.id}: `));
    } finally {
      await db.rows("ALTER TABLE user_messages DROP CONSTRAINT broken");
    }
    expect(await copies(next, place)).to.deep.equal([id]);
    await deferToday(db, 0);
    expect(await copies(person, place)).to.deep.equal([id]);
  });
});

describe("The first message of a database", () => {
  const scene = useScene();

  it("is not copied for a person who was unsubscribed before it was sent", async () => {
    const { db, org } = scene;
    const person = await user(db, org.realm);
    const room = await channel(db, org.realm, { subscribers: [org.owner, person] });
    await db.rows("SELECT setval('messages_id_seq', 1, false)");
    await sendAway(db, person);
    await scene.as(org.owner).delete("/api/v1/users/me/subscriptions", {
      subscriptions: [room.name],
      principals: [person.id],
    });
    const id = await send(scene.as(org.owner), toChannel(room.id));
    expect(id).to.equal(1);
    expect(await recordVisit(db, person)).to.equal(0);
  });
});
