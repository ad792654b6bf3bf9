import { listTopics } from "@carillon/contract";
import {
  changeChannel,
  channel,
  countQueries,
  organization,
  refused,
  refusedAlike,
  subscribe,
  unsubscribe,
  useDatabase,
  useGateway,
  user,
  userGroup,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import { post } from "../../test-support/reading-messages.ts";

describe("GET /users/me/{stream_id}/topics", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const ask = (by: TestAccount, stream_id: number, params = {}) =>
    gateway.as(by).call(listTopics, { path: { stream_id }, params });
  const topics = async (by: TestAccount, { id }: TestChannel, params = {}) =>
    (await gateway.as(by).succeed(listTopics, { path: { stream_id: id }, params })).topics;
  const names = async (by: TestAccount, room: TestChannel, params = {}) =>
    (await topics(by, room, params)).map(({ name }) => name);
  const refuses = (by: TestAccount, { id }: TestChannel) =>
    refused(db, () => ask(by, id), "BAD_REQUEST", {});
  const speak = (room: TestChannel, topic: string) => post(gateway, org.owner, room, topic);

  it("lists each topic once, newest first, spelled as in its newest message", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.owner] });
    expect(await topics(org.member, room)).to.deep.equal([]);
    await speak(room, "Lunch");
    const supper = await speak(room, "supper");
    await speak(room, "Ärger");
    const trouble = await speak(room, "ärger");
    const lunch = await speak(room, "LUNCH");
    expect(await topics(org.member, room)).to.deep.equal([
      { name: "LUNCH", max_id: lunch },
      { name: "ärger", max_id: trouble },
      { name: "supper", max_id: supper },
    ]);
  });

  it("shows the empty topic under its display name unless the client supports empty topic names", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.owner] });
    await speak(room, "");
    await speak(room, "lunch");
    expect(await names(org.member, room)).to.deep.equal(["lunch", org.realm.emptyTopicDisplayName]);
    expect(await names(org.member, room, { allow_empty_topic_name: true })).to.deep.equal([
      "lunch",
      "",
    ]);
    await refused(db, () => ask(org.member, room.id, { allow_empty_topic_name: "yes" }));
  });

  it("lists no topics of other channels", async () => {
    const [room, next] = [
      await channel(db, org.admin, { subscribers: [org.owner] }),
      await channel(db, org.admin, { subscribers: [org.owner] }),
    ];
    await speak(room, "mine");
    await speak(next, "theirs");
    expect(await names(org.member, room)).to.deep.equal(["mine"]);
  });

  it("shows topics of public channels to all but guests, and to subscribed guests", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.owner] });
    await speak(room, "lunch");
    for (const account of [org.member, org.bot, org.moderator])
      expect(await names(account, room)).to.deep.equal(["lunch"]);
    await refuses(org.guest, room);
    await subscribe(db, room, org.guest);
    expect(await names(org.guest, room)).to.deep.equal(["lunch"]);
    await changeChannel(db, room, { isWebPublic: true });
    await unsubscribe(db, room, org.guest);
    expect(await names(org.guest, room)).to.deep.equal(["lunch"]);
  });

  it("shows all topics of private channels with shared history to subscribers and accounts that may subscribe", async () => {
    const room = await channel(db, org.realm, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [org.owner],
    });
    await speak(room, "lunch");
    await refuses(org.admin, room);
    const late = await user(db, org.realm);
    await subscribe(db, room, late);
    expect(await names(late, room)).to.deep.equal(["lunch"]);
    const invited = await user(db, org.realm);
    const group = await userGroup(db, org.realm, { members: [invited] });
    await changeChannel(db, room, { canSubscribeGroupId: group.id });
    expect(await names(invited, room)).to.deep.equal(["lunch"]);
  });

  it("shows only topics of received messages if history is protected", async () => {
    const room = await channel(db, org.realm, {
      inviteOnly: true,
      historyPublicToSubscribers: false,
      subscribers: [org.owner],
    });
    await speak(room, "before");
    await speak(room, "both");
    const late = await user(db, org.realm);
    await subscribe(db, room, late);
    const seen = await speak(room, "Both");
    const own = await speak(room, "during");
    await unsubscribe(db, room, late);
    await speak(room, "both");
    await speak(room, "after");
    await refuses(late, room);
    await subscribe(db, room, late);
    expect(await topics(late, room)).to.deep.equal([
      { name: "during", max_id: own },
      { name: "Both", max_id: seen },
    ]);
    expect(await names(org.owner, room)).to.deep.equal(["after", "both", "during", "before"]);
    await refuses(org.admin, room);
  });

  it("refuses archived, hidden, foreign and unknown channels with the same error", async () => {
    const other = await organization(db);
    const archived = await channel(db, org.admin, { subscribers: [org.owner] });
    await speak(archived, "lunch");
    expect(await names(org.member, archived)).to.deep.equal(["lunch"]);
    await changeChannel(db, archived, { isArchived: true });
    const hidden = await channel(db, org.admin, { inviteOnly: true });
    const foreign = await channel(db, other.admin);
    const unknown = [archived.id, hidden.id, foreign.id, 2_000_000_000, 0, 10 ** 15];
    await refusedAlike(db, unknown, (id) => ask(org.member, id));
    const named = () => gateway.as(org.member).get("/api/v1/users/me/general/topics");
    await refused(db, named, "NOT_FOUND", {});
  });

  describe("of a busy channel", () => {
    let room: TestChannel;
    let closed: TestChannel;

    before("write messages", async () => {
      room = await channel(db, org.admin);
      closed = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.member] });
      await db.rows("INSERT INTO clients (name) VALUES ('test') ON CONFLICT DO NOTHING");
      for (const { recipientId } of [room, closed])
        await db.rows(
          `WITH added AS (
             INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content,
               rendered_content, render_version, client_id)
             SELECT $1, $2, $3, true, 'topic ' || i % 50, 'hello', '<p>hello</p>', 1,
               (SELECT id FROM clients LIMIT 1)
             FROM generate_series(1, 20000) AS i RETURNING id
           )
           INSERT INTO user_messages SELECT $4, id, 1 FROM added`,
          [org.realm.id, org.owner.id, recipientId, org.member.id],
        );
      await db.rows("ANALYZE messages, user_messages, recipients");
    });

    /** Rows of `messages` and of copies that the query plan for the topics reads. */
    async function touched(of: TestChannel) {
      const { statements } = await countQueries(db, () => topics(org.member, of));
      const text = statements.find((each) => each.includes("newest"));
      const values = of.historyPublicToSubscribers ? [of.id] : [of.id, org.member.id];
      const [plan] = await db.rows<{ "QUERY PLAN": [{ Plan: Node }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        values,
      );
      return plan ? rowsTouched(plan["QUERY PLAN"][0].Plan) : Number.NaN;
    }

    it("reads about as many messages as there are topics", async () => {
      expect(await topics(org.member, room)).to.have.length(50);
      expect(await touched(room)).to.be.within(50, 120);
    });

    it("reads as few messages if history is protected", async () => {
      expect(await topics(org.member, closed)).to.have.length(50);
      expect(await touched(closed)).to.be.within(100, 250);
    });

    it("runs the same number of statements as for a quiet channel", async () => {
      const quiet = await channel(db, org.admin);
      const count = async (of: TestChannel) =>
        (await countQueries(db, () => topics(org.member, of))).count;
      expect(await count(room)).to.equal(await count(quiet));
    });
  });
});

interface Node {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Node[];
}

function rowsTouched(node: Node): number {
  const large = ["messages", "user_messages"].includes(node["Relation Name"] ?? "");
  const own = large
    ? (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
    : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsTouched(child), own);
}
