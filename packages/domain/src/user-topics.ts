import { errors } from "@carillon/contract";
import { type RowOf, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";
import {
  type Account,
  type ChannelName,
  findChannel,
  loadChannels,
  loadChannelsByName,
  loadRealm,
  maxTopicLength,
  normaliseTopic,
  noSuchChannel,
  type Realm,
  topicPolicyEvent,
  visibilityPolicy,
} from "@carillon/model";

/** A topic of a channel, as requests name it. */
interface NamedTopic {
  readonly channel: ChannelName;
  readonly topic: string;
}

interface TopicPolicyChange extends NamedTopic {
  /** One of {@link visibilityPolicy}. */
  readonly policy: number;
}

/**
 * Sets the account's visibility policy of a topic (clients.md §4), and sends an event to its clients if it changes.
 * Setting a policy requires that the account may read the channel. Removing one also works for a channel that the
 * account can no longer read.
 * @throws ApiError `BAD_REQUEST`
 */
export async function setTopicPolicy(
  tx: Tx,
  account: Account,
  { channel: named, topic, policy }: TopicPolicyChange,
): Promise<void> {
  const [realm, channel] = await Promise.all([
    loadRealm(tx, account.realmId),
    findChannel(tx, account, named, { access: "content", archived: false }),
  ]);
  const name = checkTopic(topic, realm);
  if (policy === visibilityPolicy.inherit) {
    const channelId = channel?.id ?? (await idOfAny(tx, account, named));
    const removed = await remove(tx, account, { channelId, topic: name });
    if (!removed && !channel) throw noSuchChannel(named);
    return;
  }
  if (!channel) throw noSuchChannel(named);
  await store(tx, account, { channelId: channel.id, topic: name, policy });
}

/**
 * Mutes a topic.
 * @throws ApiError `BAD_REQUEST` unless the account may read the channel
 */
export function muteTopic(tx: Tx, account: Account, topic: NamedTopic): Promise<void> {
  return setTopicPolicy(tx, account, { ...topic, policy: visibilityPolicy.muted });
}

/**
 * Unmutes a topic. Topics that the account unmuted or follows stay as they are.
 * @throws ApiError `BAD_REQUEST` unless it is muted
 */
export async function unmuteTopic(
  tx: Tx,
  account: Account,
  { channel: named, topic }: NamedTopic,
): Promise<void> {
  const name = checkTopic(topic, await loadRealm(tx, account.realmId));
  const channelId = await idOfAny(tx, account, named);
  const only = visibilityPolicy.muted;
  if (!(await remove(tx, account, { channelId, topic: name, only })))
    throw errors.badRequest("You have not muted this topic");
}

/**
 * Checks and normalises a topic.
 * @throws ApiError `BAD_REQUEST` for a topic that no message can have
 */
function checkTopic(text: string, realm: Realm): string {
  if (isLongerThan(text.trim(), maxTopicLength))
    throw errors.badRequest(`topic must not have more than ${maxTopicLength} characters`);
  return normaliseTopic(text, realm);
}

/**
 * Returns the id of a channel of the organization, whether or not the account sees it; 0 (no channel's id) if there is
 * none.
 */
async function idOfAny(tx: Tx, account: Account, named: ChannelName): Promise<number> {
  const found =
    typeof named === "number"
      ? await loadChannels(tx, account.realmId, [named])
      : await loadChannelsByName(tx, account.realmId, [named]);
  const [channel] = found.values();
  return channel?.id ?? 0;
}

/**
 * - `lastUpdated`: UNIX time in seconds.
 */
type Stored = RowOf<typeof upsert>;

const upsert = statement({
  name: "topic-policy-store",
  text: `INSERT INTO user_topics AS t (user_id, channel_id, topic, visibility_policy) VALUES ($1, $2, $3, $4)
    ON CONFLICT (user_id, channel_id, lower(topic))
      DO UPDATE SET visibility_policy = excluded.visibility_policy, last_updated = now()
      WHERE t.visibility_policy <> excluded.visibility_policy
    RETURNING topic, extract(epoch FROM last_updated)::int AS "lastUpdated"`,
});

/** Stores a policy. The topic keeps the spelling of its first row. */
async function store(
  tx: Tx,
  account: Account,
  { channelId, topic, policy }: { channelId: number; topic: string; policy: number },
): Promise<void> {
  const stored = await tx.first(upsert, [account.id, channelId, topic, policy]);
  if (stored) emitPolicy(tx, account, channelId, policy, stored);
}

const removal = statement({
  name: "topic-policy-remove",
  text: `DELETE FROM user_topics
    WHERE user_id = $1 AND channel_id = $2 AND lower(topic) = lower($3)
      AND visibility_policy = coalesce($4, visibility_policy)
    RETURNING topic, extract(epoch FROM now())::int AS "lastUpdated"`,
});

async function remove(
  tx: Tx,
  account: Account,
  { channelId, topic, only }: { channelId: number; topic: string; only?: number },
): Promise<boolean> {
  const removed = await tx.first(removal, [account.id, channelId, topic, only ?? null]);
  if (removed) emitPolicy(tx, account, channelId, visibilityPolicy.inherit, removed);
  return removed !== undefined;
}

function emitPolicy(
  tx: Tx,
  account: Account,
  channelId: number,
  policy: number,
  stored: Stored,
): void {
  emit(tx, account.realmId, [
    topicPolicyEvent({ userId: account.id, channelId, policy, ...stored }),
  ]);
}
