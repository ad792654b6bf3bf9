import {
  changeChannel,
  channel,
  organization,
  setTopicPolicy,
  unsubscribe,
  useDatabase,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { fieldsOf, statementsOf, type Wanted } from "../test-support.ts";
import { maxTopicPolicies, mutedTopics, userTopics } from "./topics.ts";

interface UserTopic {
  stream_id: number;
  topic_name: string;
  visibility_policy: number;
  last_updated: number;
}

describe("the topics of a snapshot", () => {
  const db = useDatabase();
  let org: TestOrganization;
  let reader: TestAccount;
  before(async () => {
    org = await organization(db);
  });
  beforeEach(async () => {
    reader = await user(db, org.realm);
  });

  const topics = async (account: TestAccount = reader, wanted: Wanted = {}) =>
    (await fieldsOf(db, userTopics, account, wanted))["user_topics"] as UserTopic[];
  const muted = async (account: TestAccount = reader, wanted: Wanted = {}) =>
    (await fieldsOf(db, mutedTopics, account, wanted))["muted_topics"] as Array<
      [string, string, number]
    >;

  it("are the topics with a visibility policy of the account, in both formats", async () => {
    const room = await channel(db, org.realm, { subscribers: [reader] });
    await setTopicPolicy(db, reader, room, "Soup", "muted");
    await setTopicPolicy(db, reader, room, "bread", "unmuted");
    await setTopicPolicy(db, reader, room, "cake", "followed");
    await setTopicPolicy(db, org.owner, room, "Soup", "followed");
    const found = await topics();
    expect(found.map((each) => ({ ...each, last_updated: 0 }))).to.deep.equal([
      { stream_id: room.id, topic_name: "Soup", visibility_policy: 1, last_updated: 0 },
      { stream_id: room.id, topic_name: "bread", visibility_policy: 2, last_updated: 0 },
      { stream_id: room.id, topic_name: "cake", visibility_policy: 3, last_updated: 0 },
    ]);
    for (const { last_updated } of found) expect(last_updated).to.satisfy(Number.isInteger);
    expect(await muted()).to.deep.equal([[room.name, "Soup", found[0]?.last_updated]]);
    expect(await topics(org.member)).to.deep.equal([]);
  });

  it("show the empty topic by its display name unless the client supports the empty name", async () => {
    const room = await channel(db, org.realm, { subscribers: [reader] });
    await setTopicPolicy(db, reader, room, "", "muted");
    const names = async (wanted: Wanted) => [
      (await topics(reader, wanted))[0]?.topic_name,
      (await muted(reader, wanted))[0]?.[1],
    ];
    expect(await names({})).to.deep.equal(["general chat", "general chat"]);
    expect(await names({ capabilities: ["empty_topic_name"] })).to.deep.equal(["", ""]);
  });

  it("leave the old format out if and only if the client names the new one", async () => {
    const fields = (...named: string[]) => fieldsOf(db, mutedTopics, reader, { named });
    expect(await fields("muted_topics", "user_topic")).to.deep.equal({});
    expect(await fields("muted_topics")).to.deep.equal({ muted_topics: [] });
    expect(await fieldsOf(db, mutedTopics, reader)).to.deep.equal({ muted_topics: [] });
  });

  it("exclude topics of unreadable channels, and of archived channels unless the client supports them", async () => {
    const open = await channel(db, org.realm, { subscribers: [reader, org.guest] });
    const secret = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [reader, org.guest],
    });
    const archived = await channel(db, org.realm, { subscribers: [reader, org.guest] });
    for (const account of [reader, org.guest])
      for (const room of [open, secret, archived])
        await setTopicPolicy(db, account, room, "soup", "muted");
    await changeChannel(db, archived, { isArchived: true });
    for (const room of [open, secret]) await unsubscribe(db, room, reader, org.guest);
    const ids = async (account: TestAccount, wanted: Wanted = {}) =>
      (await topics(account, wanted)).map(({ stream_id }) => stream_id);
    expect(await ids(reader)).to.deep.equal([open.id]);
    expect(await ids(org.guest)).to.deep.equal([]);
    expect(await ids(reader, { capabilities: ["archived_channels"] })).to.deep.equal([
      open.id,
      archived.id,
    ]);
    expect((await muted()).map(([name]) => name)).to.deep.equal([open.name]);
  });

  it("are those that changed last if there are more than the snapshot may contain", async () => {
    const room = await channel(db, org.realm, { subscribers: [reader] });
    await setTopicPolicy(db, reader, room, "the oldest", "muted");
    await setTopicPolicy(db, reader, room, "changed since", "muted");
    await db.rows(
      `UPDATE user_topics SET last_updated = now() - interval '1 day' * (CASE topic WHEN 'the oldest' THEN 2 ELSE 1 END)
       WHERE user_id = $1`,
      [reader.id],
    );
    await db.rows(
      `INSERT INTO user_topics (user_id, channel_id, topic, visibility_policy)
       SELECT $1, $2, 'topic ' || n, 1 FROM generate_series(1, $3::int) AS n`,
      [reader.id, room.id, maxTopicPolicies - 2],
    );
    const all = await topics();
    expect(all).to.have.length(maxTopicPolicies);
    expect(all[0]?.topic_name).to.equal("the oldest");
    await setTopicPolicy(db, reader, room, "one more", "followed");
    const latest = await topics();
    expect(latest).to.have.length(maxTopicPolicies);
    expect(latest[0]?.topic_name).to.equal("changed since");
    expect(latest.at(-1)?.topic_name).to.equal("one more");
    const names = (await muted()).map(([, topic]) => topic);
    expect(names)
      .to.have.length(maxTopicPolicies - 1)
      .and.not.to.include("the oldest");
  });

  it("need one statement", async () => {
    const room = await channel(db, org.realm, { subscribers: [reader] });
    for (let n = 0; n < 5; n++) await setTopicPolicy(db, reader, room, `topic ${n}`, "muted");
    for (const section of [userTopics, mutedTopics])
      expect(await statementsOf(db, [section], reader)).to.equal(1);
  });
});
