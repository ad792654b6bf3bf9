import { deliverAll } from "@carillon/domain";
import { deliverDue } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import {
  anonymousGroup,
  channel,
  deliver,
  eventsSince,
  inChannel,
  lastEventSeq,
  messagesOf,
  namesTime,
  noticesTo,
  runJob,
  scheduledMessage,
  storedRow,
  type TestAccount,
  type TestChannel,
  testSite,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const secret = "a detail of the database that nobody needs to read";

describe("a scheduled message that makes its batch fail", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender] });
  });
  afterEach(() => scene.db.rows("DROP TRIGGER IF EXISTS poison ON messages"));

  /** Makes inserting a message fail where the condition over NEW holds. */
  const poison = async (condition: string, sqlState = "P0001") => {
    await scene.db.rows(
      `CREATE OR REPLACE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF ${condition} THEN RAISE EXCEPTION '${secret}' USING ERRCODE = '${sqlState}'; END IF;
       RETURN NEW; END $$`,
    );
    await scene.db.rows(
      "CREATE TRIGGER poison BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION poison()",
    );
  };
  const sent = async () =>
    (await messagesOf(scene.as(sender), inChannel(room.id))).map(({ content }) => content);
  const make = async (...contents: string[]) => {
    const rows = [];
    for (const content of contents) {
      rows.push(await scheduledMessage(scene.db, sender, room, { content, dueIn: -9 }));
    }
    await scene.db.rows(
      `UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) - interval '9 s'
       WHERE id = ANY($1)`,
      [rows.map(({ id }) => id)],
    );
    return rows;
  };

  it("fails with a general reason, and the other messages are sent in order", async () => {
    const { db, org } = scene;
    const rows = await make("a", "b", "poison", "c", "poison", "d");
    const earlier = (await noticesTo(scene.as(sender), org.notificationBot)).length;
    await poison("NEW.content = 'poison'");
    const seq = await lastEventSeq(db, org.realm.id);
    await deliver(db, org.realm);
    expect(await sent()).to.deep.equal(["a", "b", "c", "d"]);
    const notices = (await noticesTo(scene.as(sender), org.notificationBot)).slice(earlier);
    expect(notices).to.have.length(2);
    for (const notice of notices) {
      expect(notice.content).not.to.contain(secret);
      expect(namesTime(notice.content, Math.floor(Date.now() / 1_000) - 10)).to.equal(true);
    }
    for (const { id } of rows.filter(({ content }) => content === "poison")) {
      const row = await storedRow(db, id);
      expect(row).to.include({ failed: true, delivered: false });
      expect(row?.failureMessage).to.be.a("string").that.does.not.contain(secret);
    }
    const received = (await eventsSince(db, org.realm.id, seq))
      .filter(({ type }) => type === "scheduled_messages")
      .map(({ op }) => op);
    expect(received).to.have.members(["remove", "remove", "remove", "remove", "update", "update"]);
  });

  it("starts no topic, not even for later batches", async () => {
    const { db, org } = scene;
    const starters = await anonymousGroup(db, org.realm.id, [org.admin.id]);
    const guarded = await channel(db, org.realm, {
      subscribers: [sender],
      groups: { canCreateTopicGroupId: starters },
    });
    const message = (by: TestAccount, content: string, dueIn: number) =>
      scheduledMessage(db, by, guarded, { topic: "new", content, dueIn });
    const broken = await message(org.admin, "poison", -9);
    const after = await message(sender, "takes part", -8);
    await poison("NEW.content = 'poison'");
    const options = { db, site: testSite(), log: silentLogger, batch: 1 };
    await deliverAll(options, org.realm.id, { maxBatches: 9 });
    expect(await storedRow(db, broken.id)).to.include({ failed: true });
    expect(await storedRow(db, after.id)).to.include({ failed: true, delivered: false });
  });

  it("is retried after a transient error", async () => {
    for (const sqlState of ["40001", "40P01", "55P03"]) {
      const rows = await make(`first ${sqlState}`, `second ${sqlState}`);
      await poison(`NEW.content = 'second ${sqlState}'`, sqlState);
      const second = Math.floor(Date.now() / 1_000) - 1;
      await runJob(scene.db, deliverDue, { realmId: scene.org.realm.id, second }).catch(() => {});
      expect(await storedRow(scene.db, rows[1]?.id ?? 0), sqlState).to.include({
        failed: false,
        delivered: false,
      });
      await scene.db.rows("DROP TRIGGER poison ON messages");
      await deliver(scene.db, scene.org.realm);
      expect((await sent()).slice(-2)).to.deep.equal([`first ${sqlState}`, `second ${sqlState}`]);
    }
  });

  it("waits for a locked row, and retries later", async () => {
    const { db, org } = scene;
    const rows = await make("held", "behind it");
    const second = Math.floor(Date.now() / 1_000) - 1;
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM scheduled_messages WHERE id = $1 FOR UPDATE", [rows[0]?.id]);
      await runJob(db, deliverDue, { realmId: org.realm.id, second }).catch(() => {});
    });
    for (const { id } of rows) {
      expect(await storedRow(db, id)).to.include({ failed: false, delivered: false });
    }
    await deliver(db, org.realm);
    expect(await sent()).to.deep.equal(["held", "behind it"]);
  });

  it("fails even when its sender cannot be notified, and nothing else fails with it", async () => {
    const { db, org } = scene;
    const archived = await channel(db, org.realm, { isArchived: true });
    const refused = await scheduledMessage(db, sender, archived, { dueIn: -9 });
    const [broken, fine] = await make("poison", "fine");
    await poison(`NEW.content = 'poison' OR NEW.sender_id = ${org.notificationBot.id}`);
    const earlier = (await noticesTo(scene.as(sender), org.notificationBot)).length;
    const seq = await lastEventSeq(db, org.realm.id);
    await deliver(db, org.realm);
    expect(await storedRow(db, refused.id)).to.include({ failed: true });
    expect(await storedRow(db, broken?.id ?? 0)).to.include({ failed: true });
    expect(await storedRow(db, fine?.id ?? 0)).to.include({ delivered: true });
    expect(await noticesTo(scene.as(sender), org.notificationBot)).to.have.length(earlier);
    const updates = (await eventsSince(db, org.realm.id, seq)).filter(({ op }) => op === "update");
    expect(updates).to.have.length(2);
  });

  it("does not prevent notices of other messages when its own cannot be sent", async () => {
    const { db, org } = scene;
    const archived = await channel(db, org.realm, { isArchived: true });
    const others = [];
    for (const account of [org.moderator, org.admin, org.owner]) {
      await scheduledMessage(db, account, archived, { dueIn: -9 });
      const earlier = (await noticesTo(scene.as(account), org.notificationBot)).length;
      others.push({ account, earlier });
    }
    await scheduledMessage(db, sender, archived, { dueIn: -9 });
    const unheard = (await noticesTo(scene.as(sender), org.notificationBot)).length;
    await scene.db.rows(
      `CREATE OR REPLACE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.user_id = ${sender.id} THEN RAISE EXCEPTION '${secret}'; END IF; RETURN NEW; END $$`,
    );
    await db.rows(
      "CREATE TRIGGER notice_poison BEFORE INSERT ON user_messages FOR EACH ROW EXECUTE FUNCTION poison()",
    );
    const seq = await lastEventSeq(db, org.realm.id);
    await deliver(db, org.realm);
    await db.rows("DROP TRIGGER notice_poison ON user_messages");
    for (const { account, earlier } of others) {
      const notices = await noticesTo(scene.as(account), org.notificationBot);
      expect(notices).to.have.length(earlier + 1);
    }
    expect(await noticesTo(scene.as(sender), org.notificationBot)).to.have.length(unheard);
    const events = await eventsSince(db, org.realm.id, seq);
    expect(events.filter(({ op }) => op === "update")).to.have.length(4);
    expect(events.filter(({ type }) => type === "message")).to.have.length(3);
  });

  it("leaves no rows of the failed message", async () => {
    const { db } = scene;
    const [broken] = await make("poison at the end");
    await scene.db.rows(
      `CREATE OR REPLACE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF EXISTS (SELECT FROM messages WHERE id = NEW.message_id AND content = 'poison at the end')
       THEN RAISE EXCEPTION '${secret}'; END IF; RETURN NEW; END $$`,
    );
    await db.rows(
      "CREATE TRIGGER late_poison BEFORE INSERT ON user_messages FOR EACH ROW EXECUTE FUNCTION poison()",
    );
    await deliver(db, scene.org.realm);
    await db.rows("DROP TRIGGER late_poison ON user_messages");
    expect(await storedRow(db, broken?.id ?? 0)).to.include({
      failed: true,
      deliveredMessageId: null,
    });
    expect(await sent()).to.deep.equal([]);
    const left = await db.rows<object>("SELECT FROM messages WHERE scheduled_message_id = $1", [
      broken?.id,
    ]);
    expect(left).to.deep.equal([]);
    const topics = await db.rows<object>("SELECT FROM user_topics WHERE channel_id = $1", [
      room.id,
    ]);
    expect(topics).to.deep.equal([]);
  });
});
