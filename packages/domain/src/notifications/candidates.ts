import { personalSettings } from "@carillon/contract";
import { notNull, type RowOf, type Sql, statement } from "@carillon/db";
import { aliveQueue } from "@carillon/events";
import type { PlanPushesIntent, PushTrigger } from "@carillon/jobs";
import { flag, visibilityPolicy } from "@carillon/model";

/** Seconds after the last activity for which an account counts as present (push.md §9). */
export const presentFor = 140;

/**
 * SQL: whether the account was active recently and has a client that receives `message` events.
 * @param userId an expression
 */
export const isPresent = (userId: string): string => `EXISTS (SELECT FROM user_presence seen
          WHERE seen.user_id = ${userId} AND seen.active_at > now() - interval '${presentFor} seconds' OFFSET 0)
        AND EXISTS (SELECT FROM event_queue q WHERE q.user_id = ${userId} AND ${aliveQueue}
          AND (q.options->'eventTypes' = 'null' OR q.options->'eventTypes' ? 'message') OFFSET 0)`;

/** The personal settings that the query reads; unpacking them once for each account is the expensive part. */
const settings = {
  offline: "enable_offline_push_notifications",
  online: "enable_online_push_notifications",
  followed: "enable_followed_topic_push_notifications",
  followedWildcards: "enable_followed_topic_wildcard_mentions_notify",
  wildcards: "wildcard_mentions_notify",
  channels: "enable_stream_push_notifications",
} as const;

const names = Object.entries(settings);
const settingColumns = names
  .map(([as, name]) => `coalesce(p.${name}, ${personalSettings[name].initial}) AS "${as}"`)
  .join(", ");

/**
 * SQL: whether the account `u` has enabled the setting for all channels; matches the index `users_channel_pushes_idx`.
 */
const wantsChannels = `coalesce((u.settings->>'${settings.channels}')::boolean, false)`;

/**
 * A receiver that a message may be pushed to.
 * - `place`: position of the message in the list, from 1.
 * - `flags`: of the account's copy of the message.
 * - `groupIds`: the mentioned groups that contain the account.
 * - `devices`: number of its reachable devices.
 */
export type Candidate = RowOf<typeof candidates>;

/**
 * Selects the receivers that a message may concern: all members of a conversation; in a channel, mentioned accounts,
 * followers of the topic, accounts that want all messages of the channel, and all subscribers for a wildcard mention.
 * Only active people who have not read the message, have not muted its sender, and have a device. The lateral
 * subqueries with `OFFSET 0` handle one message at a time and force an index for each lookup: PostgreSQL's estimates
 * for unknown lists would make it scan whole tables.
 */
const candidates = statement({
  name: "push-candidates",
  text: `WITH RECURSIVE mentioned (root, group_id) AS (
      SELECT id, id FROM unnest($7::int[]) AS g (id)
      UNION SELECT root, edge.subgroup_id FROM mentioned JOIN user_group_subgroup edge ON edge.supergroup_id = group_id
    )
    SELECT w.place, c.user_id AS "userId", NOT m.is_channel AS "isDirect", um.flags, d.devices,
      coalesce((SELECT t.visibility_policy FROM user_topics t WHERE t.user_id = c.user_id
        AND t.channel_id = m.channel_id AND lower(t.topic) = m.topic), ${visibilityPolicy.inherit}) AS policy,
      coalesce(s.is_muted, false) AS "channelMuted", s.push_notifications AS "channelPush",
      s.wildcard_mentions_notify AS "channelWildcards",
      ARRAY(SELECT DISTINCT mentioned.root FROM mentioned WHERE mentioned.root = ANY(w.group_ids::int[])
        AND EXISTS (SELECT FROM user_group_member member
          WHERE member.group_id = mentioned.group_id AND member.user_id = c.user_id OFFSET 0)) AS "groupIds",
      NOT coalesce(p.${settings.online}, false) AND ${isPresent("c.user_id")} AS present,
      ${settingColumns}
    FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bool[]) WITH ORDINALITY
      AS w (message_id, user_ids, group_ids, everybody, place)
    CROSS JOIN LATERAL (
      SELECT m.sender_id, m.is_channel, lower(m.topic) AS topic, r.channel_id, r.member_ids
      FROM messages m JOIN recipients r ON r.id = m.recipient_id
      WHERE m.id = w.message_id AND m.realm_id = $1 OFFSET 0
    ) m
    CROSS JOIN LATERAL (
      SELECT unnest(m.member_ids) AS user_id WHERE NOT m.is_channel
      UNION SELECT unnest(w.user_ids::int[])
      UNION SELECT member.user_id FROM mentioned CROSS JOIN LATERAL (
          SELECT g.user_id FROM user_group_member g WHERE g.group_id = mentioned.group_id OFFSET 0) member
        WHERE mentioned.root = ANY(w.group_ids::int[])
      UNION SELECT t.user_id FROM user_topics t WHERE t.channel_id = m.channel_id AND lower(t.topic) = m.topic
        AND t.visibility_policy = ${visibilityPolicy.followed}
      UNION SELECT s.user_id FROM subscriptions s WHERE s.channel_id = m.channel_id AND s.active
        AND (w.everybody OR s.push_notifications OR s.push_notifications IS NULL
          AND s.user_id IN (SELECT u.id FROM users u WHERE u.realm_id = $1 AND ${wantsChannels}))
      OFFSET 0
    ) c
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS devices FROM client_devices d
      WHERE d.user_id = c.user_id AND d.push_token_id IS NOT NULL
    ) d
    CROSS JOIN LATERAL (
      SELECT um.flags FROM user_messages um WHERE um.user_id = c.user_id AND um.message_id = w.message_id
        AND um.flags & ${flag.read | flag.activeMobilePush} = 0 OFFSET 0
    ) um
    LEFT JOIN LATERAL (
      SELECT s.is_muted, s.push_notifications, s.wildcard_mentions_notify FROM subscriptions s
      WHERE s.channel_id = m.channel_id AND s.user_id = c.user_id AND s.active OFFSET 0
    ) s ON true
    CROSS JOIN LATERAL (
      SELECT p.* FROM users u, jsonb_to_record(u.settings)
        AS p (${names.map(([, name]) => `${name} bool`).join(", ")})
      WHERE u.id = c.user_id AND u.realm_id = $1 AND u.is_active AND NOT u.is_bot OFFSET 0
    ) p
    WHERE c.user_id <> m.sender_id AND c.user_id > CASE WHEN w.place = 1 THEN $6::int ELSE 0 END
      AND d.devices > 0 AND (NOT m.is_channel OR s.is_muted IS NOT NULL)
      AND NOT EXISTS (SELECT FROM muted_users muted WHERE muted.user_id = c.user_id AND muted.muted_user_id = m.sender_id OFFSET 0)
    ORDER BY w.place, c.user_id LIMIT $8`,
  overrides: {
    /** Position of the message in the list, from 1. */
    place: notNull,
    userId: notNull,
  },
});

/**
 * Loads the receivers that the messages may be pushed to, ordered by message, then by account.
 * @param limit maximum rows: if as many are returned, there may be more after the last one
 */
export function loadCandidates(
  sql: Sql,
  realmId: number,
  { messages, after }: PlanPushesIntent,
  limit: number,
): Promise<Candidate[]> {
  const listed = (ids: readonly number[] = []) => `{${ids.join(",")}}`;
  return sql.rows(candidates, [
    realmId,
    messages.map(({ id }) => id),
    messages.map(({ users }) => listed(users)),
    messages.map(({ groups }) => listed(groups)),
    messages.map(({ everybody }) => everybody ?? false),
    after,
    groupsOf(messages),
    limit,
  ]);
}

/** Returns the ids of all mentioned groups, without duplicates. */
export function groupsOf(messages: PlanPushesIntent["messages"]): number[] {
  return [...new Set(messages.flatMap(({ groups }) => groups ?? []))];
}

/** How a message mentions a receiver: by name, or as a member of a user group. */
export type Mention =
  | { readonly kind: "personal" }
  | { readonly kind: "group"; readonly id: number };

/** The facts that decide whether a message is pushed to a receiver (push.md §9). */
export interface PushFacts {
  readonly isDirect: boolean;
  readonly mention: Mention | undefined;
  readonly topicWildcard: boolean;
  readonly channelWildcard: boolean;
  /** Policy of the topic: one of `visibilityPolicy`. */
  readonly policy: number;
  readonly channelMuted: boolean;
  /** Setting of the subscription; null if it inherits the account's. */
  readonly channelPush: boolean | null;
  readonly channelWildcards: boolean | null;
  /** `enable_offline_push_notifications` */
  readonly offline: boolean;
  /** `enable_online_push_notifications` */
  readonly online: boolean;
  /** `enable_followed_topic_push_notifications` */
  readonly followed: boolean;
  /** `enable_followed_topic_wildcard_mentions_notify` */
  readonly followedWildcards: boolean;
  /** `wildcard_mentions_notify` */
  readonly wildcards: boolean;
  /** `enable_stream_push_notifications` */
  readonly channels: boolean;
  /** The account is present, with a client that receives message events. */
  readonly present: boolean;
}

interface Triggered {
  readonly trigger: PushTrigger;
  /** The mentioned user group that contains the receiver. */
  readonly groupId?: number;
}

/**
 * Returns why a message is pushed to a receiver: the first matching row of push.md §9; undefined if it is not pushed.
 */
export function triggerOf(facts: PushFacts): Triggered | undefined {
  const { mention, offline, policy } = facts;
  if (facts.present && !facts.online) return undefined;
  if (facts.isDirect) return offline ? { trigger: "direct_message" } : undefined;
  if (mention && offline)
    return mention.kind === "group"
      ? { trigger: "mention", groupId: mention.id }
      : { trigger: "mention" };
  const isFollowed = policy === visibilityPolicy.followed;
  const wildcard = (facts.topicWildcard || facts.channelWildcard) && offline;
  if (wildcard && isFollowed && facts.followedWildcards)
    return { trigger: "followed_topic_wildcard" };
  const muted = isMuted(facts);
  if (wildcard && !muted && (facts.channelWildcards ?? facts.wildcards))
    return { trigger: "wildcard" };
  if (isFollowed && facts.followed) return { trigger: "followed_topic" };
  if (!muted && (facts.channelPush ?? facts.channels)) return { trigger: "channel" };
  return undefined;
}

function isMuted({ policy, channelMuted }: PushFacts): boolean {
  if (policy === visibilityPolicy.muted) return true;
  return (
    channelMuted && policy !== visibilityPolicy.unmuted && policy !== visibilityPolicy.followed
  );
}

const sizesOf = statement({
  name: "mentioned-group-sizes",
  text: `WITH RECURSIVE mentioned (root, group_id) AS (
      SELECT id, id FROM unnest($1::int[]) AS g (id)
      UNION SELECT root, edge.subgroup_id FROM mentioned JOIN user_group_subgroup edge ON edge.supergroup_id = group_id
    )
    SELECT mentioned.root AS id, count(DISTINCT u.id)::int AS size FROM mentioned
    JOIN user_group_member member ON member.group_id = mentioned.group_id
    JOIN users u ON u.id = member.user_id AND u.is_active
    GROUP BY mentioned.root`,
  overrides: { id: notNull },
});

/** Loads the number of active members of the groups, at any depth, by group. */
export async function loadGroupSizes(
  sql: Sql,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (groupIds.length === 0) return new Map();
  const rows = await sql.rows(sizesOf, [groupIds]);
  return new Map(rows.map(({ id, size }) => [id, size]));
}

/** Returns the smallest of the groups, the oldest of equal ones; undefined if there are none. */
export function smallestGroup(
  groupIds: readonly number[],
  sizes: ReadonlyMap<number, number>,
): number | undefined {
  const size = (id: number) => sizes.get(id) ?? 0;
  return groupIds.toSorted((a, b) => size(a) - size(b) || a - b)[0];
}
