import { statement, type Sql } from "@carillon/db";
import type { Lookups, MentionableGroup, MentionableUser, ParsedMessage } from "@carillon/markdown";
import {
  askFolding,
  type Folding,
  loadPostingChannelsNamed,
  type PostingChannel,
} from "@carillon/model";

import type { AuthoredText } from "./authored-text.ts";
import { loadNewestOfTopics } from "./newest-of-topics.ts";
import { loadUnseenByGuests } from "./unseen-by-guests.ts";

/** A group that a message names, with the permission to mention it. */
export interface NamedGroup extends MentionableGroup {
  readonly canMentionGroupId: number;
  /** The name as the database folds it. */
  readonly nameKey: string;
}

/** A user that a text names. */
export interface NamedUser extends MentionableUser {
  readonly followsWhereMentioned: boolean;
  /** Whether it is an outgoing webhook bot. */
  readonly isCalled: boolean;
  /** The name as the database folds it. */
  readonly nameKey: string;
}

/** The users, groups, channels and topics that texts name. */
export interface NamesInTexts {
  /** Folds the names in the texts and the names of the users found, and returns other names unchanged. */
  readonly fold: Lookups["fold"];
  readonly users: readonly NamedUser[];
  readonly groups: readonly NamedGroup[];
  /** By the name in the text. */
  readonly channels: ReadonlyMap<string, PostingChannel>;
  /** The newest message of each linked topic, by `linkKey`. */
  readonly newestMessages: ReadonlyMap<string, number>;
  /** Users that an author cannot see, by author. */
  readonly unseen: ReadonlyMap<number, ReadonlySet<number>>;
}

const noNames: NamesInTexts = {
  fold: (name) => name,
  users: [],
  groups: [],
  channels: new Map(),
  newestMessages: new Map(),
  unseen: new Map(),
};

/** Looks up the names that the texts mention. Sends no statement if there are none. */
export async function loadNamesInTexts(
  sql: Sql,
  realmId: number,
  texts: readonly AuthoredText[],
): Promise<NamesInTexts> {
  const namesOf = <T>(pick: (names: ParsedMessage["names"]) => readonly T[]): T[] => [
    ...new Set(texts.flatMap(({ parsed }) => pick(parsed.names))),
  ];
  const userNames = namesOf(({ userNames: names }) => names);
  const userIds = namesOf(({ userIds: ids }) => ids);
  const groupNames = namesOf(({ groupNames: names }) => names);
  const channelNames = namesOf(({ channelNames: names }) => names);
  // All parts or none: each combination of parts is a prepared statement on every connection.
  if (userNames.length + userIds.length + groupNames.length + channelNames.length === 0)
    return noNames;
  const foldedNames = namesOf(({ foldedNames: names }) => names);
  const linking = texts.filter(({ parsed }) => parsed.names.channelNames.length > 0);
  const [folding, users, groups, channels, newestMessages, unseen] = await Promise.all([
    askFolding(sql, foldedNames),
    sql.rows(mentionedUsers, [realmId, userNames, userIds]),
    sql.rows(mentionedGroups, [realmId, groupNames]),
    loadPostingChannelsNamed(sql, realmId, channelNames, authorsOf(linking)),
    loadNewestOfTopics(sql, realmId, linking),
    loadUnseenByGuests(sql, realmId, { authorIds: authorsOf(texts), userNames, userIds }),
  ]);
  const fold = foldNames(folding, users, foldedNames);
  return { fold, users, groups, channels, newestMessages, unseen };
}

function authorsOf(texts: readonly AuthoredText[]): number[] {
  return [...new Set(texts.map(({ authorId }) => authorId))];
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
