import { loadRealm } from "@carillon/model";
import {
  alertWord,
  changeSettings,
  channel,
  device,
  forgetIntents,
  nth,
  plannedPushes,
  type TestAccount,
  type TestChannel,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { planPushes, sendPushes } from "@carillon/jobs";
import { expect } from "chai";

import { checkMessages, onlyMessage } from "./check.ts";
import { sendMessages } from "./send.ts";

interface Said {
  readonly to?: TestChannel;
  readonly topic?: string;
  readonly content?: string;
}

// docs/decisions/083
describe("The copies of a batch of messages for a person who is away", () => {
  const scene = useScene();
  const { db } = scene;
  let away: TestAccount;
  let present: TestAccount;
  let rooms: readonly TestChannel[];

  beforeEach(async () => {
    const { org } = scene;
    away = await user(db, org.realm);
    present = await user(db, org.realm);
    const subscribers = [org.owner, away, present];
    rooms = [
      await channel(db, org.owner, { subscribers }),
      await channel(db, org.owner, { subscribers }),
    ];
    await db.rows("UPDATE subscriptions SET deferred_after = 0 WHERE user_id = $1", [away.id]);
    for (const person of [away, present])
      await changeSettings(db, person, { automatically_follow_topics_where_mentioned: true });
    await device(db, away, { active: 1 });
    await device(db, present, { active: 2 });
    await forgetIntents(db, planPushes, sendPushes);
  });

  /** Sends the messages in one batch. @returns their ids */
  async function sendBatch(said: readonly Said[]): Promise<number[]> {
    const { owner } = scene.org;
    const inputs = said.map(({ to = nth(rooms, 0), topic = "lunch", content = "hello" }) => ({
      senderId: owner.id,
      destination: { kind: "channel" as const, channelId: to.id },
      topic,
      topicIsStored: true,
      content,
    }));
    const [client] = await db.rows<{ id: number }>(
      "INSERT INTO clients (name) VALUES ('batch') ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id",
    );
    return db.transaction(async (tx) => {
      const site = { url: "http://localhost" };
      const { results } = await checkMessages(tx, site, owner.realmId, inputs);
      const outgoing = results.map((result) => ({
        ...onlyMessage([result]),
        clientId: client?.id ?? 0,
        clientName: "batch",
        readBySender: true,
      }));
      const { sent } = await sendMessages(tx, await loadRealm(tx, owner.realmId), outgoing);
      return sent.map(({ id }) => id);
    });
  }

  /** Returns the indexes in `ids` of the messages that the account has copies of. */
  async function copiesOf({ id }: TestAccount, ids: readonly number[]): Promise<number[]> {
    const rows = await db.rows<{ id: number }>(
      "SELECT message_id::int AS id FROM user_messages WHERE user_id = $1 ORDER BY 1",
      [id],
    );
    return rows.map((row) => ids.indexOf(row.id));
  }

  /** Returns the indexes in `ids` of the messages that are pushed to the account, each with the reason. */
  async function pushesTo({ id }: TestAccount, ids: readonly number[]): Promise<string[]> {
    const pushes = await plannedPushes(db);
    return pushes.flatMap(({ userId, messageId, trigger }) =>
      userId === id ? [`${ids.indexOf(messageId)} ${trigger}`] : [],
    );
  }

  const mentionBoth = () => `@**${away.fullName}** @**${present.fullName}** look`;

  it("include all messages of a topic that the person begins to follow, because one of them mentions the person", async () => {
    const ids = await sendBatch([
      {},
      { content: mentionBoth() },
      { topic: "LUNCH" },
      { topic: "dinner" },
      { to: nth(rooms, 1) },
    ]);
    expect(await copiesOf(away, ids)).to.deep.equal([0, 1, 2]);
    const pushes = await pushesTo(present, ids);
    expect(pushes).to.deep.equal(["0 followed_topic", "1 mention", "2 followed_topic"]);
    expect(await pushesTo(away, ids)).to.deep.equal(pushes);
  });

  it("include them also if that message mentions everybody, and so has copies for all", async () => {
    const ids = await sendBatch([{ content: `@**all** ${mentionBoth()}` }, {}]);
    expect(await copiesOf(away, ids)).to.deep.equal([0, 1]);
    const pushes = await pushesTo(present, ids);
    expect(pushes).to.deep.equal(["0 mention", "1 followed_topic"]);
    expect(await pushesTo(away, ids)).to.deep.equal(pushes);
  });

  it("include no other messages of a topic if the mentions do not make the person follow it", async () => {
    const { org } = scene;
    const group = await userGroup(db, org.realm, { members: [away, present] });
    for (const person of [away, present]) await alertWord(db, person, "soup");
    const ids = await sendBatch([
      { content: `@*${group.name}* look` },
      { content: "soup" },
      { content: "@**all** look" },
      { content: `@_**${away.fullName}** said` },
      {},
    ]);
    expect(await copiesOf(away, ids)).to.deep.equal([0, 1, 2]);
    const pushes = await pushesTo(present, ids);
    expect(pushes).to.deep.equal(["0 mention", "2 wildcard"]);
    expect(await pushesTo(away, ids)).to.deep.equal(pushes);
  });
});
