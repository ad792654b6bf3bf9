import type { Sql } from "@carillon/db";
import {
  emptyLookups,
  type Lookups,
  type MentionableGroup,
  type MentionableUser,
  type ParsedMessage,
} from "@carillon/markdown";

import { hasContentAccess } from "../channels/access.ts";
import { loadMemberships } from "../permissions/memberships.ts";
import type { Realm } from "../realms/realm.ts";
import type { Account } from "../users/account.ts";
import { loadPostingChannels } from "./channel-facts.ts";

/** A group that a message names, with the setting that says who may mention it. */
export interface NamedGroup extends MentionableGroup {
  readonly canMentionGroupId: number;
}

/** A user whom a text names. */
interface NamedUser extends MentionableUser {
  readonly followsWhereMentioned: boolean;
}

/** What the texts of a batch name, looked up once for all of them. */
export interface MentionLookups {
  readonly groupsById: ReadonlyMap<number, NamedGroup>;
  readonly usersById: ReadonlyMap<number, NamedUser>;
  /** For one text and its author, who must be able to see what it links to. */
  of(parsed: ParsedMessage, author: Account): Promise<Lookups>;
}

/** Looks up the names that the texts mention; without any, it asks the database nothing. */
export async function loadMentionLookups(
  sql: Sql,
  realm: Realm,
  organizationUrl: string,
  texts: readonly ParsedMessage[],
): Promise<MentionLookups> {
  const userNames = distinct(texts.flatMap(({ names }) => names.userNames));
  const userIds = distinct(texts.flatMap(({ names }) => names.userIds));
  const groupNames = distinct(texts.flatMap(({ names }) => names.groupNames));
  const [users, groups] = await Promise.all([
    userNames.length + userIds.length > 0 ? loadUsers(sql, realm.id, userNames, userIds) : [],
    groupNames.length > 0 ? loadGroups(sql, realm.id, groupNames) : [],
  ]);
  const shared = {
    ...emptyLookups,
    organizationUrl,
    emptyTopicDisplayName: realm.emptyTopicDisplayName,
    usersByName: grouped(users, ({ fullName }) => fullName.toLowerCase()),
    usersById: new Map(users.map((user) => [user.id, user])),
    groupsByName: grouped(groups, ({ name }) => name.toLowerCase()),
  };
  return {
    groupsById: new Map(groups.map((group) => [group.id, group])),
    usersById: shared.usersById,
    of: async ({ names }, author) =>
      names.channelNames.length > 0
        ? { ...shared, ...(await loadLinks(sql, author, names)) }
        : shared,
  };
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function grouped<T>(values: readonly T[], key: (value: T) => string): Map<string, T[]> {
  const map = new Map<string, T[]>();
  for (const value of values) {
    const name = key(value);
    const list = map.get(name);
    if (list) list.push(value);
    else map.set(name, [value]);
  }
  return map;
}

function loadUsers(
  sql: Sql,
  realmId: number,
  names: readonly string[],
  ids: readonly number[],
): Promise<NamedUser[]> {
  const follows = `NOT is_bot AND coalesce((rule_settings->'automatically_follow_topics_where_mentioned')::bool, true)`;
  const columns = `id, full_name AS "fullName", is_active AS "isActive", ${follows} AS "followsWhereMentioned"`;
  return sql.rows(
    {
      name: "mentioned-users",
      text: `SELECT ${columns} FROM users WHERE realm_id = $1 AND lower(full_name) = ANY($2::text[])
        UNION
        SELECT ${columns} FROM users WHERE realm_id = $1 AND id = ANY($3::int[])`,
    },
    [realmId, names, ids],
  );
}

function loadGroups(sql: Sql, realmId: number, names: readonly string[]): Promise<NamedGroup[]> {
  return sql.rows(
    {
      name: "mentioned-groups",
      text: `SELECT id, name, deactivated, is_system_group AS "isSystemGroup",
          CASE WHEN is_system_group THEN description ELSE name END AS "displayName",
          can_mention_group_id AS "canMentionGroupId"
        FROM named_user_group WHERE realm_id = $1 AND lower(name) = ANY($2::text[])`,
    },
    [realmId, names],
  );
}

/** The newest message of each topic that the author can see; a text may link to hundreds. */
const newestOfTopics = {
  name: "newest-of-topics",
  text: `SELECT w.ord, newest.id
    FROM unnest($1::int[], $2::text[], $3::bool[]) WITH ORDINALITY AS w (recipient_id, topic, shared, ord)
    CROSS JOIN LATERAL (
      SELECT m.id FROM messages m
      WHERE m.recipient_id = w.recipient_id AND m.is_channel AND lower(m.topic) = lower(w.topic)
        AND (w.shared OR EXISTS (SELECT 1 FROM user_messages um WHERE um.user_id = $4 AND um.message_id = m.id))
      ORDER BY m.id DESC LIMIT 1
    ) newest`,
};

/**
 * Channels that the text links to, only those whose content the author can read (so that private names do not
 * leak ids), and the newest message of each topic linked to.
 */
async function loadLinks(
  sql: Sql,
  author: Account,
  names: ParsedMessage["names"],
): Promise<Pick<Lookups, "channelsByName" | "newestMessageOfTopic">> {
  const named = await sql.rows<{ id: number }>(
    "SELECT id FROM channels WHERE realm_id = $1 AND name = ANY($2::text[])",
    [author.realmId, names.channelNames],
  );
  const ids = named.map(({ id }) => id);
  const memberships = await loadMemberships(sql, [author.id]);
  const found = await loadPostingChannels(sql, author.realmId, ids, [author.id]);
  const channels = [...found.values()].filter((channel) =>
    hasContentAccess(author, channel, memberships, channel.subscribed.has(author.id)),
  );
  const channelsByName = new Map(channels.map((channel) => [channel.name, channel]));
  const topics = names.topics.flatMap(({ channelName, topic }) => {
    const channel = channelsByName.get(channelName);
    return channel ? [{ channel, topic }] : [];
  });
  const rows =
    topics.length > 0
      ? await sql.rows<{ ord: number; id: number }>(newestOfTopics, [
          topics.map(({ channel }) => channel.recipientId),
          topics.map(({ topic }) => topic),
          topics.map(({ channel }) => channel.historyPublicToSubscribers),
          author.id,
        ])
      : [];
  const newest = new Map(
    rows.map(({ ord, id }) => {
      const { channel, topic } = topics[ord - 1]!;
      return [`${channel.id}:${topic}`, id];
    }),
  );
  return {
    channelsByName,
    newestMessageOfTopic: (channelId, topic) => newest.get(`${channelId}:${topic}`),
  };
}
