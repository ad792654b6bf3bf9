import { addAlertWords, removeAlertWords, updateMessage } from "@carillon/contract";
import { connectDatabase, type Database } from "@carillon/db";
import {
  alertWord,
  channel,
  countQueries,
  crowd,
  deactivateUser,
  deliver,
  makeDue,
  organization,
  scheduledMessage,
  send,
  startGateway,
  subscribe,
  toChannel,
  toUsers,
  user,
  useScene,
  type Gateway,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

const alerted = 64;

describe("Alert words: which receivers a message alerts", () => {
  const scene = useScene();
  /** A second process with its own in-memory state. */
  let otherDb: Database;
  let other: Gateway;
  let room: TestChannel;
  let reader: TestAccount;
  before(async () => {
    otherDb = await connectDatabase(scene.db.url, { max: 5, name: "another process" });
    other = await startGateway(otherDb);
  });
  after(async () => {
    await other.close();
    await otherDb.close();
  });
  beforeEach(async () => {
    reader = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, {
      subscribers: [scene.org.member, reader],
    });
  });

  const add = (words: readonly string[], by = reader, at: Gateway = scene.gateway) =>
    at.as(by).succeed(addAlertWords, { params: { alert_words: words } });
  const remove = (words: readonly string[], by = reader, at: Gateway = scene.gateway) =>
    at.as(by).succeed(removeAlertWords, { params: { alert_words: words } });
  const say = (content: string, at: Gateway = scene.gateway) =>
    send(at.as(scene.org.member), toChannel(room.id, { content }));
  /** The accounts whose copies of a message have the has_alert_word flag. */
  const alertedBy = async (messageId: number) => {
    const rows = await scene.db.rows<{ id: number }>(
      "SELECT user_id AS id FROM user_messages WHERE message_id = $1 AND flags & $2 <> 0 ORDER BY 1",
      [messageId, alerted],
    );
    return rows.map(({ id }) => id);
  };

  it("alerts the accounts with a matching word from the next message on, whichever process sends it", async () => {
    // Both processes load the words before the change.
    for (const at of [scene.gateway, other])
      expect(await alertedBy(await say("soup", at))).to.deep.equal([]);
    await add(["soup"]);
    for (const at of [scene.gateway, other])
      expect(await alertedBy(await say("a Soup!", at))).to.deep.equal([reader.id]);
    await remove(["soup"], reader, other);
    for (const at of [scene.gateway, other])
      expect(await alertedBy(await say("soup", at))).to.deep.equal([]);
    await add(["Soup of the day"], reader, other);
    for (const at of [scene.gateway, other]) {
      expect(await alertedBy(await say("soup of the day", at))).to.deep.equal([reader.id]);
      expect(await alertedBy(await say("soup of the days", at))).to.deep.equal([]);
    }
  });

  it("updates the flag when a message is edited, in both directions, and leaves earlier messages alone", async () => {
    const before = await say("soup");
    await add(["soup"]);
    expect(await alertedBy(before)).to.deep.equal([]);
    const id = await say("nothing");
    const edit = (content: string) =>
      other
        .as(scene.org.member)
        .succeed(updateMessage, { path: { message_id: id }, params: { content } });
    await edit("soup");
    expect(await alertedBy(id)).to.deep.equal([reader.id]);
    await edit("no more");
    expect(await alertedBy(id)).to.deep.equal([]);
    await edit("https://example.com/soup");
    expect(await alertedBy(id)).to.deep.equal([]);
  });

  it("alerts receivers of the message only, in direct messages too", async () => {
    const { guest, member, owner } = scene.org;
    for (const each of [guest, owner, member]) await add(["tea"], each);
    expect(await alertedBy(await say("tea"))).to.deep.equal([member.id]);
    const direct = await send(scene.as(member), toUsers([owner.id], { content: "TEA" }));
    expect(await alertedBy(direct)).to.have.members([member.id, owner.id]);
    for (const each of [guest, owner, member]) await remove(["tea"], each);
  });

  it("does not alert deactivated accounts until they are reactivated", async () => {
    await add(["soup"]);
    const id = await say("soup");
    await deactivateUser(scene.db, reader);
    const path = { message_id: id };
    await scene
      .as(scene.org.member)
      .succeed(updateMessage, { path, params: { content: "soup again" } });
    expect(await alertedBy(id)).to.deep.equal([]);
    await scene.db.rows("UPDATE users SET is_active = true WHERE id = $1", [reader.id]);
    await scene
      .as(scene.org.member)
      .succeed(updateMessage, { path, params: { content: "more soup" } });
    expect(await alertedBy(id)).to.deep.equal([reader.id]);
  });

  it("sets the flag in the event and in the stored copy", async () => {
    await add(["soup"]);
    const { body } = await scene.as(reader).post("/api/v1/register", { event_types: ["message"] });
    const id = await say("soup");
    const events = await scene.as(reader).get("/api/v1/events", {
      queue_id: body["queue_id"],
      last_event_id: body["last_event_id"],
      dont_block: true,
    });
    expect(events.text).to.include('"flags":["has_alert_word"]');
    const read = await scene.as(reader).get(`/api/v1/messages/${id}`);
    expect((read.body["message"] as { flags: string[] }).flags).to.include("has_alert_word");
  });

  it("alerts when a scheduled message is delivered", async () => {
    const { id } = await scheduledMessage(scene.db, scene.org.member, room, {
      row: { content: "soup at last" },
    });
    await add(["soup"], reader, other);
    await makeDue(scene.db, id);
    await deliver(scene.db, scene.org.realm);
    const [row] = await scene.db.rows<{ id: number }>(
      "SELECT delivered_message_id AS id FROM scheduled_messages WHERE id = $1",
      [id],
    );
    expect(await alertedBy(row?.id ?? 0)).to.deep.equal([reader.id]);
  });

  it("stays within one organization", async () => {
    const stranger = await organization(scene.db);
    const theirs = await channel(scene.db, stranger.realm, { subscribers: [stranger.member] });
    await add(["soup"]);
    await alertWord(scene.db, stranger.member, "cake");
    expect(await alertedBy(await say("soup and cake"))).to.deep.equal([reader.id]);
    const id = await send(
      scene.gateway.as(stranger.member),
      toChannel(theirs.id, { content: "soup and cake" }),
    );
    expect(await alertedBy(id)).to.deep.equal([stranger.member.id]);
  });

  it("alerts every account whose change has committed, when many accounts change words in two processes at once", async () => {
    const people = await Promise.all(
      Array.from({ length: 12 }, () => user(scene.db, scene.org.realm)),
    );
    await subscribe(scene.db, room, ...people);
    for (let round = 0; round < 3; round++) {
      const words = people.map((_, n) => `w${round}x${n}`);
      await Promise.all(
        people.flatMap((one, n) => [
          add(words.slice(n, n + 1), one, n % 2 ? other : scene.gateway),
          say("meanwhile", n % 2 ? scene.gateway : other),
        ]),
      );
      for (const at of [scene.gateway, other])
        expect(await alertedBy(await say(words.join(", "), at))).to.have.members(
          people.map(({ id }) => id),
        );
    }
  });

  it("runs one more statement after words have changed, however many words there are", async () => {
    const { db, org } = scene;
    await say("broth");
    const first = await countQueries(db, () => say("broth"));
    const people = await crowd(db, org.member, 300);
    await db.rows(
      `WITH words AS (
         INSERT INTO alert_words (realm_id, user_id, word, word_lower)
         SELECT $1, id, 'crowd ' || id || ' ' || n, 'crowd ' || id || ' ' || n
         FROM unnest($2::int[]) AS id, generate_series(1, 40) AS n)
       INSERT INTO alert_word_owners (user_id, realm_id, words) SELECT id, $1, 40 FROM unnest($2::int[]) AS id`,
      [org.realm.id, people.map(({ id }) => id)],
    );
    // 12,000 words are read in pages, once.
    const reading = await countQueries(db, () => say("broth"));
    expect(reading.count).to.equal(first.count + 1);
    const after = await countQueries(db, () => say("broth"));
    expect(after.statements).to.deep.equal(first.statements);
    await add(["broth"]);
    const found = await countQueries(db, () => say("broth"));
    expect(found.count).to.equal(first.count + 1);
  });
});
