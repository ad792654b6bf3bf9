import { knowableId, roles } from "@carillon/contract";
import { composed, notNull, type RowOf, type Sql, statement } from "@carillon/db";
import {
  accountColumns,
  accountOverrides,
  channelReadable,
  findDirectRecipients,
  hasSharedHistorySql,
  loadFolding,
  loadUserVisibility,
  memberKey,
  type Members,
  type Reader,
  showsAddressTo,
  SqlValues,
} from "@carillon/model";

/** Lookups of the values that the terms of a narrow name, batched over all terms; undefined for what does not exist. */
export interface NarrowLookups {
  /** By ID, or by name ignoring case. */
  readonly channel: (named: string | number) => Promise<NarrowChannel | undefined>;
  /** The ID of the account with this ID, or with an e-mail address that the viewer may see. */
  readonly user: (named: string | number) => Promise<number | undefined>;
  /** The lexemes that PostgreSQL derives from words, without stop words. */
  readonly lexemes: (words: string) => Promise<readonly string[]>;
  /** The recipient id of a direct conversation; undefined before its first message. */
  readonly conversation: (members: Members) => Promise<number | undefined>;
}

/** Makes the lookups for the terms of one narrow; lookups of the same kind share a statement. */
export function narrowLookups(sql: Sql, viewer: Reader): NarrowLookups {
  const conversation = batched((keys: readonly string[]) => loadConversations(sql, viewer, keys));
  return {
    channel: batched((named) => loadNamedChannels(sql, viewer, named)),
    user: batched((named) => loadUserIds(sql, viewer, named)),
    lexemes: async (words) => (await sql.rows(lexemesOf, [words]))[0]?.lexemes ?? [],
    conversation: (members) => conversation(memberKey(members)),
  };
}

const lexemesOf = statement({
  name: "lexemes",
  text: "SELECT tsvector_to_array(to_tsvector('english', $1)) AS lexemes",
  overrides: { lexemes: notNull },
});

async function loadConversations(
  sql: Sql,
  viewer: Reader,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const conversations = keys.map((key) => key.split(",").map(Number));
  const found = await findDirectRecipients(sql, viewer.realmId, conversations);
  return new Map([...found].map(([key, { id }]) => [key, id]));
}

/**
 * Returns a lookup by key that collects the keys requested in the same microtask turn and loads them at once, so that
 * the number of statements does not grow with the number of callers.
 */
function batched<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  let waiting: { keys: Set<Key>; found: Promise<ReadonlyMap<Key, Value>> } | undefined;
  return async (key) => {
    if (!waiting) {
      const keys = new Set<Key>();
      const found = Promise.resolve().then(() => {
        waiting = undefined;
        return load([...keys]);
      });
      waiting = { keys, found };
    }
    waiting.keys.add(key);
    return (await waiting.found).get(key);
  };
}

/** A channel that a narrow names; `readable`: whether the viewer has content access. */
type NarrowChannel = Omit<RowOf<typeof channels>, "asked">;

interface Named {
  readonly ids: readonly number[];
  readonly names: readonly string[];
}

const channels = composed({
  name: "narrow-channels",
  // `asked`: the requested names that match the channel.
  compose: (viewer: Reader, named: Named) => {
    const values = new SqlValues();
    const realmId = values.add(viewer.realmId, "int");
    const { where, asked } = wanted(named, realmId, values);
    const text = `SELECT c.id, c.name, r.id AS "recipientId",
        ${hasSharedHistorySql} AS "historyPublicToSubscribers",
        ${channelReadable(viewer)(values)} AS readable, ${asked} AS asked
      FROM channels c JOIN recipients r ON r.channel_id = c.id
      WHERE c.realm_id = ${realmId} AND ${where}`;
    return { text, values: values.list, recurs: true };
  },
  examples: (compose) =>
    [roles.member, roles.guest].flatMap((role) =>
      [
        { ids: [1], names: [] },
        { ids: [], names: ["a"] },
        { ids: [1], names: ["a", "b"] },
      ].map((named) => compose({ id: 1, realmId: 1, role, isActive: true }, named)),
    ),
});

/**
 * Selects one channel without an array, because almost every narrow names one channel. The planner cannot know the length
 * of an array; without one the prepared statement keeps a generic plan and takes a third of the time.
 */
function wanted(
  { ids, names }: Named,
  realmId: string,
  values: SqlValues,
): { where: string; asked: string } {
  const [id, name] = [ids[0], names[0]];
  if (ids.length + names.length > 1 || (id === undefined && name === undefined)) {
    const list = values.add(names, "text[]");
    return {
      where: `c.id IN (
        SELECT unnest(${values.add(ids, "int[]")})
        UNION ALL SELECT id FROM channels WHERE realm_id = ${realmId}
          AND lower(name) = ANY(ARRAY(SELECT lower(a.name) FROM unnest(${list}) AS a (name))))`,
      asked: `ARRAY(SELECT a.name FROM unnest(${list}) AS a (name) WHERE lower(a.name) = lower(c.name))`,
    };
  }
  if (id !== undefined) return { where: `c.id = ${values.add(id, "int")}`, asked: "'{}'::text[]" };
  const asked = values.add(name, "text");
  return { where: `lower(c.name) = lower(${asked})`, asked: `ARRAY[${asked}]` };
}

/** Loads the organization's channels with these ids, or with these names ignoring case, by the requested id or name. */
async function loadNamedChannels(
  sql: Sql,
  viewer: Reader,
  named: readonly (string | number)[],
): Promise<Map<string | number, NarrowChannel>> {
  const ids = named.filter((value) => typeof value === "number").map((id) => knowableId(id));
  const names = named.filter((value) => typeof value === "string");
  const byIdOrName = new Map<string | number, NarrowChannel>();
  for (const { asked, ...channel } of await channels(sql, viewer, { ids, names })) {
    byIdOrName.set(channel.id, channel);
    for (const name of asked) byIdOrName.set(name, channel);
  }
  return byIdOrName;
}

const byIdOrAddress = statement({
  name: "narrow-users",
  text: `WITH asked AS (SELECT array_agg(lower(a)) AS addresses FROM unnest($3::text[]) AS a)
    SELECT ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND (u.id = ANY($2::int[])
      OR lower(u.email) = ANY((SELECT addresses FROM asked)::text[])
      OR lower(u.delivery_email) = ANY((SELECT addresses FROM asked)::text[]))`,
  overrides: accountOverrides,
});

/**
 * Resolves ids and e-mail addresses to account ids. Addresses match the visible address, and the delivery address if
 * the viewer may see it. Deactivated accounts and bots are found too. Accounts that the viewer does not see are found
 * by id only, because the viewer knows them as senders. A viewer with restricted visibility may name any id, so that it
 * does not learn which ids exist (users.md §2.1).
 */
async function loadUserIds(
  sql: Sql,
  viewer: Reader,
  named: readonly (string | number)[],
): Promise<Map<string | number, number>> {
  const numbers = named.filter((value) => typeof value === "number");
  const ids = numbers.map((id) => knowableId(id));
  const addresses = named.filter((value) => typeof value === "string");
  const [accounts, userVisibility] = await Promise.all([
    sql.rows(byIdOrAddress, [viewer.realmId, ids, addresses]),
    loadUserVisibility(sql, viewer),
  ]);
  const seen = accounts.filter(userVisibility.sees);

  const byAddress = new Map<string, number>();
  const { fold } = await loadFolding(sql, [
    ...addresses,
    ...seen.flatMap(({ email, deliveryEmail }) => [email, deliveryEmail]),
  ]);
  for (const account of seen) {
    const revealed = account.id === viewer.id || showsAddressTo(account, viewer.role);
    if (revealed) byAddress.set(fold(account.deliveryEmail), account.id);
  }
  for (const { id, email } of seen) byAddress.set(fold(email), id);

  const found = new Map<string | number, number>();
  for (const { id } of accounts) found.set(id, id);
  if (userVisibility.isRestricted) for (const id of numbers) found.set(id, knowableId(id));
  for (const address of addresses) {
    const id = byAddress.get(fold(address));
    if (id !== undefined) found.set(address, id);
  }
  return found;
}
