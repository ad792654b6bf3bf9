import {
  type Account,
  type Folding,
  type Memberships,
  type PostingChannel,
  type Realm,
  askFolding,
  hasContentAccess,
  hasSharedHistorySql,
  linkifiersOf,
  loadMemberships,
  loadPostingChannelsNamed,
  loadRealm,
} from "@carillon/model";
import { statement, inOneStatement, notNull, type Sql } from "@carillon/db";
import {
  emptyLookups,
  type Lookups,
  type MentionableGroup,
  type MentionableUser,
  type ParsedMessage,
} from "@carillon/markdown";

import { emojiOfTexts } from "../../emoji/realm-emoji.ts";
import { filesReadableByAuthors, type FindFiles } from "../../files/file-access.ts";
import { loadUnseenByGuests } from "./unseen-by-guests.ts";

/** A group that a message names, with the permission to mention it. */
export interface NamedGroup extends MentionableGroup {
  readonly canMentionGroupId: number;
  /** The name as the database folds it. */
  readonly nameKey: string;
}

/** A user that a text names. */
interface NamedUser extends MentionableUser {
  readonly followsWhereMentioned: boolean;
  /** Whether it is an outgoing webhook bot. */
  readonly isCalled: boolean;
  /** The name as the database folds it. */
  readonly nameKey: string;
}

/** A text and its author, who must be able to see what it links to. */
export interface AuthoredText {
  readonly parsed: ParsedMessage;
  readonly authorId: number;
}

/** Other data that a text's mentions and links depend on, from the snapshot of the lookups. */
export interface MentionContext {
  readonly realm: Realm;
  /** The author's memberships. */
  readonly memberships: Memberships;
}

/** Users, groups, channels and topics that the texts of a batch name. */
export interface MentionLookups {
  readonly groupsById: ReadonlyMap<number, NamedGroup>;
  readonly usersById: ReadonlyMap<number, NamedUser>;
  /** Returns the lookups of one text. Leaves out channels whose content the author cannot read, to hide their ids. */
  of(parsed: ParsedMessage, author: Account, context: MentionContext): Lookups;
}

const noChannels: ReadonlyMap<string, PostingChannel> = new Map();
const noMessages: ReadonlyMap<string, number> = new Map();
const noUploads: ReadonlyMap<number, Lookups["uploads"]> = new Map();
const noFiles: Lookups["uploads"] = new Map();
const nothingToFold: Folding = { fold: (name) => name };
const noEmoji: Lookups["customEmoji"] = new Map();
const nobodyUnseen: ReadonlyMap<number, ReadonlySet<number>> = new Map();

/**
 * Looks up the names that the texts mention, the emoji that they name and the files that they link to. Sends no statement
 * if there are none.
 */
export async function loadMentionLookups(
  sql: Sql,
  realmId: number,
  organizationUrl: string,
  texts: readonly AuthoredText[],
  findFiles: FindFiles = filesReadableByAuthors,
): Promise<MentionLookups> {
  const named = <T>(of: (names: ParsedMessage["names"]) => readonly T[]) =>
    distinct(texts.flatMap(({ parsed }) => of(parsed.names)));
  const userNames = named(({ userNames: names }) => names);
  const userIds = named(({ userIds: ids }) => ids);
  const groupNames = named(({ groupNames: names }) => names);
  const channelNames = named(({ channelNames: names }) => names);
  const linking = texts.filter(({ parsed }) => parsed.names.channelNames.length > 0);
  const emojiNames = distinct(texts.flatMap(({ parsed }) => parsed.customEmojiNames));
  const uploading = texts.filter(({ parsed }) => parsed.uploadPaths.length > 0);
  const authorIds = distinct(linking.map(({ authorId }) => authorId));
  // All parts or none: each combination of parts is a prepared statement on every connection.
  const nameCount = userNames.length + userIds.length + groupNames.length + channelNames.length;
  const readableUploads =
    uploading.length === 0
      ? noUploads
      : findFiles(
          sql,
          realmId,
          uploading.map(({ parsed, authorId }) => ({ authorId, pathIds: parsed.uploadPaths })),
        );
  const customEmoji = emojiNames.length === 0 ? noEmoji : emojiOfTexts(sql, realmId, emojiNames);
  const [folding, users, groups, channels, newest, unseen] =
    nameCount === 0
      ? [nothingToFold, [], [], noChannels, noMessages, nobodyUnseen]
      : await Promise.all([
          askFolding(
            sql,
            named(({ foldedNames }) => foldedNames),
          ),
          sql.rows(mentionedUsers, [realmId, userNames, userIds]),
          sql.rows(mentionedGroups, [realmId, groupNames]),
          loadPostingChannelsNamed(sql, realmId, channelNames, authorIds),
          loadNewestOfTopics(sql, realmId, linking),
          loadUnseenByGuests(sql, realmId, {
            authorIds: distinct(texts.map(({ authorId }) => authorId)),
            userNames,
            userIds,
          }),
        ]);
  const [uploads, emoji] = await Promise.all([readableUploads, customEmoji]);
  const everybody = peopleOf(users);
  const peopleFor = (authorId: number) => {
    const hidden = unseen.get(authorId);
    return hidden ? peopleOf(users.filter(({ id }) => !hidden.has(id))) : everybody;
  };
  const shared = {
    ...emptyLookups,
    organizationUrl,
    customEmoji: emoji,
    fold: foldNames(folding, users, nameCount === 0 ? [] : named(({ foldedNames }) => foldedNames)),
    groupsByName: grouped(groups, ({ nameKey }) => nameKey),
  };
  return {
    groupsById: new Map(groups.map((group) => [group.id, group])),
    usersById: everybody.usersById,
    of: ({ names }, author, { realm, memberships }) => ({
      ...shared,
      ...peopleFor(author.id),
      uploads: uploads.get(author.id) ?? noFiles,
      emptyTopicDisplayName: realm.emptyTopicDisplayName,
      linkifiers: linkifiersOf(realm),
      channelsByName: new Map(
        names.channelNames.flatMap((name) => {
          const channel = channels.get(name);
          return channel &&
            hasContentAccess(author, channel, memberships, channel.subscribed.has(author.id))
            ? [[name, channel] as const]
            : [];
        }),
      ),
      newestMessageOfTopic: (channelId, topic) => newest.get(linkKey(author.id, channelId, topic)),
    }),
  };
}

/**
 * Loads the lookups of texts that need no check, and the data they depend on, from one snapshot.
 * @param findFiles finds the files that the texts link to; default: those that the authors may read
 */
export async function loadRendering(
  sql: Sql,
  realmId: number,
  organizationUrl: string,
  texts: readonly AuthoredText[],
  { findFiles }: { readonly findFiles?: FindFiles } = {},
): Promise<MentionContext & { readonly lookups: MentionLookups }> {
  return inOneStatement(sql, async (one) => {
    const [realm, memberships, lookups] = await Promise.all([
      loadRealm(one, realmId),
      loadMemberships(
        one,
        texts.map(({ authorId }) => authorId),
      ),
      loadMentionLookups(one, realmId, organizationUrl, texts, findFiles),
    ]);
    return { realm, memberships, lookups };
  });
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** Returns the last of the values with the same key. */
function distinctBy<T>(values: readonly T[], key: (value: T) => string): T[] {
  return [...new Map(values.map((value) => [key(value), value])).values()];
}

/** Returns a function that folds the names in the texts and the names of the users found. It returns other names unchanged. */
function foldNames(
  { fold }: Folding,
  users: readonly NamedUser[],
  written: readonly string[],
): Lookups["fold"] {
  const keys = new Map(written.map((name) => [name, fold(name)]));
  for (const { fullName, nameKey } of users) keys.set(fullName, nameKey);
  return (name) => keys.get(name) ?? name;
}

function peopleOf(users: readonly NamedUser[]) {
  return {
    usersByName: grouped(users, ({ nameKey }) => nameKey),
    usersById: new Map(users.map((user) => [user.id, user])),
  };
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

const follows = `NOT is_bot AND coalesce((rule_settings->'automatically_follow_topics_where_mentioned')::bool, true)`;
const userColumns = `id, full_name AS "fullName", lower(full_name) AS "nameKey", is_active AS "isActive", ${follows} AS "followsWhereMentioned",
  bot_type IS NOT DISTINCT FROM 3 AS "isCalled"`;

/**
 * Hides the arrays from the planner: with their values PostgreSQL would make a new plan of the whole check for each
 * message with a mention, which takes 3 ms.
 */
const mentionedUsers = statement({
  name: "mentioned-users",
  text: `SELECT ${userColumns} FROM users
    WHERE realm_id = $1 AND lower(full_name) = ANY(ARRAY(SELECT lower(unnest($2::text[]))))
    UNION
    SELECT ${userColumns} FROM users WHERE realm_id = $1 AND id = ANY(ARRAY(SELECT unnest($3::int[])))`,
});

const mentionedGroups = statement({
  name: "mentioned-groups",
  text: `SELECT id, name, lower(name) AS "nameKey", deactivated, is_system_group AS "isSystemGroup",
      CASE WHEN is_system_group THEN description ELSE name END AS "displayName",
      can_mention_group_id AS "canMentionGroupId"
    FROM named_user_group WHERE realm_id = $1 AND lower(name) = ANY(ARRAY(SELECT lower(unnest($2::text[]))))`,
});

/**
 * How many of a topic's newest messages are searched for one that the author can see. A subscriber sees the messages that
 * were sent since the subscription began, so either the newest is visible or few are. Without a bound, a text of a
 * thousand links would read a thousand topics.
 */
const maxScanned = 200;

/**
 * Finds the newest message of each linked topic that the author can see; a text may link to hundreds. Does not check
 * whether the author may read the channel.
 */
const newestOfTopics = statement({
  name: "newest-of-topics",
  text: `SELECT w.author_id AS "authorId", c.id AS "channelId", w.topic, newest.id
    FROM unnest((SELECT $2::text[]), (SELECT $3::text[]), (SELECT $4::int[])) AS w (channel_name, topic, author_id)
    JOIN channels c ON c.realm_id = $1 AND c.name = w.channel_name
    JOIN recipients r ON r.channel_id = c.id
    CROSS JOIN LATERAL (
      SELECT latest.id FROM (
        SELECT m.id FROM messages m
        WHERE m.recipient_id = r.id AND m.is_channel AND lower(m.topic) = lower(w.topic)
        ORDER BY m.id DESC LIMIT CASE WHEN ${hasSharedHistorySql} THEN 1 ELSE ${maxScanned} END) latest
      WHERE ${hasSharedHistorySql}
        OR EXISTS (SELECT FROM user_messages um WHERE um.user_id = w.author_id AND um.message_id = latest.id)
      ORDER BY latest.id DESC LIMIT 1
    ) newest`,
  overrides: { authorId: notNull, topic: notNull },
});

function linkKey(authorId: number, channelId: number, topic: string): string {
  return `${authorId}:${channelId}:${topic}`;
}

/** Returns the ids of the newest messages of linked topics, by {@link linkKey}. */
async function loadNewestOfTopics(
  sql: Sql,
  realmId: number,
  texts: readonly AuthoredText[],
): Promise<Map<string, number>> {
  // Each link once: looking a topic up may read hundreds of its messages, and a batch has hundreds of texts.
  const links = distinctBy(
    texts.flatMap(({ parsed, authorId }) =>
      parsed.names.topics.map((link) => ({ ...link, authorId })),
    ),
    ({ authorId, channelName, topic }) => JSON.stringify([authorId, channelName, topic]),
  );
  const rows = await sql.rows(newestOfTopics, [
    realmId,
    links.map(({ channelName }) => channelName),
    links.map(({ topic }) => topic),
    links.map(({ authorId }) => authorId),
  ]);
  return new Map(
    rows.map(({ authorId, channelId, topic, id }) => [linkKey(authorId, channelId, topic), id]),
  );
}
