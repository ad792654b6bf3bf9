import { ApiError } from "@carillon/contract";
import { loadRealm } from "@carillon/model";
import {
  casedLetters,
  channel,
  trickyTexts,
  useScene,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

import { checkMessages, onlyMessage } from "./check.ts";
import { sendMessages } from "./send.ts";

describe("Topics of one batch that differ in case", () => {
  const scene = useScene();
  const { db } = scene;

  interface Said {
    readonly by: TestAccount;
    readonly topic: string;
  }

  const check = (room: TestChannel, said: readonly Said[]) =>
    db.transaction((tx) =>
      checkMessages(
        tx,
        { url: "http://localhost" },
        room.realmId,
        said.map(({ by, topic }) => ({
          senderId: by.id,
          destination: { kind: "channel", channelId: room.id },
          topic,
          topicIsStored: true,
          content: "soup",
        })),
      ),
    );

  /** Which of the topics the database takes for one: an equal number for each. */
  async function classes(topics: readonly string[]): Promise<string[]> {
    const rows = await db.rows<{ key: string }>(
      "SELECT lower(t) AS key FROM unnest($1::text[]) WITH ORDINALITY AS w (t, ord) ORDER BY ord",
      [topics],
    );
    return rows.map(({ key }) => key);
  }

  const letters = () => casedLetters().flatMap((cases) => cases.map((letter) => `x${letter}`));
  const words = [...trickyTexts, ...trickyTexts.map((text) => `${text} Σ`)];

  it("are the same to policies as to the index that keeps them apart, for every letter with a case", async () => {
    const { owner } = scene.org;
    const room = await channel(db, owner, { subscribers: [owner] });
    const topics = [...new Set([...letters(), ...words])];
    const { results } = await check(
      room,
      topics.map((topic) => ({ by: owner, topic })),
    );
    const [client] = await db.rows<{ id: number }>(
      "INSERT INTO clients (name) VALUES ('folded') RETURNING id",
    );
    const outgoing = results.map((result) => ({
      ...onlyMessage([result]),
      clientId: client?.id ?? 0,
      clientName: "folded",
      readBySender: true,
    }));
    await db.rows(
      `UPDATE users SET rule_settings = rule_settings || '{"automatically_follow_topics_policy": 1}',
         settings = settings || '{"automatically_follow_topics_policy": 1}' WHERE id = $1`,
      [owner.id],
    );
    await db.transaction(async (tx) =>
      sendMessages(tx, await loadRealm(tx, room.realmId), outgoing),
    );
    const stored = await db.rows<{ topic: string }>(
      "SELECT topic FROM user_topics WHERE user_id = $1 AND channel_id = $2",
      [owner.id, room.id],
    );
    const sent = outgoing.map(({ topic }) => topic);
    expect(stored.length).to.equal(new Set(await classes(sent)).size);
    expect(stored.length).to.be.greaterThan(1_000);
  });

  it("are the same to who may start topics, for every letter with a case", async () => {
    const { admin, member } = scene.org;
    const room = await channel(db, admin, { subscribers: [admin, member] });
    await db.rows(
      `UPDATE channels SET can_create_topic_group_id = (
         SELECT id FROM named_user_group WHERE realm_id = $2 AND name = 'role:administrators') WHERE id = $1`,
      [room.id, room.realmId],
    );
    const pairs = [
      ...casedLetters().flatMap(([one = "", ...others]) =>
        others.map((other) => [`${one}x`, `${other}x`] as const),
      ),
      ...words.flatMap((one) =>
        [one.toLowerCase(), one.toUpperCase(), one.toLowerCase().toUpperCase()].map(
          (other) => [one, other] as const,
        ),
      ),
    ].map(([one, other], i) => [`${i} ${one}`, `${i} ${other}`] as const);
    const said = pairs.flatMap(([started, answered]) => [
      { by: admin, topic: started },
      { by: member, topic: answered },
    ]);
    const { results } = await check(room, said);
    const keys = await classes(said.map(({ topic }) => topic.trim()));
    const wrong = pairs.filter((_, i) => {
      const canAnswer = !(results[2 * i + 1] instanceof ApiError);
      return canAnswer !== (keys[2 * i] === keys[2 * i + 1]);
    });
    expect(wrong).to.deep.equal([]);
  });
});
