import type { Database } from "@carillon/db";
import { storeSettings } from "@carillon/model";
import { idOf, type IdOrRow } from "./channel.ts";

/** Makes `muter` mute `muted`. */
export async function muteUser(db: Database, muter: IdOrRow, muted: IdOrRow): Promise<void> {
  await db.prisma.mutedUser.create({ data: { userId: idOf(muter), mutedUserId: idOf(muted) } });
}

/** Names of `visibility_policy` values; without a row the topic inherits from its channel. */
export const topicPolicy = { muted: 1, unmuted: 2, followed: 3 } as const;

/** Sets an account's visibility policy of a topic. */
export async function setTopicPolicy(
  db: Database,
  account: IdOrRow,
  channelId: IdOrRow,
  topic: string,
  policy: keyof typeof topicPolicy,
): Promise<void> {
  await db.rows(
    `INSERT INTO user_topics (user_id, channel_id, topic, visibility_policy) VALUES ($1, $2, $3, $4)
     ON CONFLICT (user_id, channel_id, lower(topic)) DO UPDATE SET visibility_policy = $4`,
    [idOf(account), idOf(channelId), topic, topicPolicy[policy]],
  );
}

/** Adds an alert word of the account. */
export async function alertWord(
  db: Database,
  account: { readonly id: number; readonly realmId: number },
  word: string,
): Promise<void> {
  const { id: userId, realmId } = account;
  await db.prisma.alertWord.create({
    data: { userId, realmId, word, wordLower: word.toLowerCase() },
  });
  await db.rows(
    `INSERT INTO alert_word_owners (user_id, realm_id, words) VALUES ($1, $2, 1)
     ON CONFLICT (user_id) DO UPDATE SET version = EXCLUDED.version, words = alert_word_owners.words + 1`,
    [userId, realmId],
  );
}

/** Overwrites personal settings of the account by their wire names. */
export async function changeSettings(
  db: Database,
  account: IdOrRow,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  await storeSettings(db, idOf(account), settings);
}
