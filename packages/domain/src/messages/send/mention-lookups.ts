import {
  type Account,
  type Memberships,
  type Realm,
  hasContentAccess,
  linkifiersOf,
  loadMemberships,
  loadRealm,
} from "@carillon/model";
import { inOneStatement, type Sql } from "@carillon/db";
import { emptyLookups, type Lookups, type ParsedMessage } from "@carillon/markdown";

import { emojiOfTexts } from "../../emoji/realm-emoji.ts";
import { filesReadableByAuthors, type FindFiles } from "../../files/file-access.ts";
import type { AuthoredText } from "./authored-text.ts";
import { loadNamesInTexts, type NamedGroup, type NamedUser } from "./names-in-texts.ts";
import { linkKey } from "./newest-of-topics.ts";

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

const noUploads: ReadonlyMap<number, Lookups["uploads"]> = new Map();
const noFiles: Lookups["uploads"] = new Map();
const noEmoji: Lookups["customEmoji"] = new Map();

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
  const [uploads, customEmoji, named] = await Promise.all([
    findUploads(sql, realmId, texts, findFiles),
    findEmoji(sql, realmId, texts),
    loadNamesInTexts(sql, realmId, texts),
  ]);
  const { users, groups, channels, newestMessages, unseen } = named;
  const everybody = peopleOf(users);
  const peopleFor = (authorId: number) => {
    const hidden = unseen.get(authorId);
    return hidden ? peopleOf(users.filter(({ id }) => !hidden.has(id))) : everybody;
  };
  const shared = {
    ...emptyLookups,
    organizationUrl,
    customEmoji,
    fold: named.fold,
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
      newestMessageOfTopic: (channelId, topic) =>
        newestMessages.get(linkKey(author.id, channelId, topic)),
    }),
  };
}

async function findUploads(
  sql: Sql,
  realmId: number,
  texts: readonly AuthoredText[],
  findFiles: FindFiles,
): Promise<ReadonlyMap<number, Lookups["uploads"]>> {
  const links = texts.flatMap(({ parsed: { uploadPaths: pathIds }, authorId }) =>
    pathIds.length > 0 ? [{ authorId, pathIds }] : [],
  );
  return links.length === 0 ? noUploads : findFiles(sql, realmId, links);
}

async function findEmoji(
  sql: Sql,
  realmId: number,
  texts: readonly AuthoredText[],
): Promise<Lookups["customEmoji"]> {
  const names = new Set(texts.flatMap(({ parsed }) => parsed.customEmojiNames));
  return names.size === 0 ? noEmoji : emojiOfTexts(sql, realmId, [...names]);
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
