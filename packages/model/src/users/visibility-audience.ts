import { roles, type Audience } from "@carillon/contract";
import { lockKeyShared, lockKey, notNull, statement, type Sql, type Tx } from "@carillon/db";

import { restrictsGuests } from "../realms.ts";
import type { Account } from "./account.ts";
import { loadAfter } from "../load-after.ts";

/** SQL: whether the guest can see the person through a channel; both are SQL expressions of ids. */
export const seesByChannel = (guest: string, person: string) => `EXISTS (
    SELECT FROM subscriptions mine JOIN subscriptions theirs ON theirs.channel_id = mine.channel_id
    WHERE mine.user_id = ${guest} AND mine.active
      AND theirs.user_id = ${person} AND theirs.active AND theirs.is_user_active)`;

/** SQL: whether they share a direct conversation. @param realm SQL expression of the organization's id */
export const sharesConversation = (realm: string, guest: string, person: string) => `EXISTS (
    SELECT FROM recipients d WHERE d.realm_id = ${realm} AND d.member_ids @> ARRAY[${guest}, ${person}])`;

/** SQL: whether guests are restricted. Evaluated once and first: if it is false, no rows of accounts are read. */
const isRestricted = `(SELECT ${restrictsGuests} FROM realms WHERE realms.id = $1)`;

/**
 * SQL: the active guests who cannot see the account $2; with $3 false, as if it were deactivated. With many guests, the
 * account's channels and conversations are read once, not for each guest.
 */
const blind = `SELECT u.id FROM users u
    WHERE u.realm_id = $1 AND u.is_active AND u.role = ${roles.guest} AND u.id <> $2
      AND NOT EXISTS (SELECT FROM recipients d CROSS JOIN LATERAL unnest(d.member_ids) AS member (id)
        WHERE d.realm_id = $1 AND d.member_ids @> ARRAY[$2::int] AND member.id = u.id)
      AND NOT EXISTS (SELECT FROM subscriptions theirs JOIN subscriptions mine ON mine.channel_id = theirs.channel_id
        WHERE $3 AND theirs.user_id = $2 AND theirs.active AND theirs.is_user_active
          AND mine.user_id = u.id AND mine.active AND mine.is_user_active)`;

/** Returns no row if guests are not restricted. */
export const seeing = statement({
  name: "audience-seeing",
  text: `WITH blind AS MATERIALIZED (${blind})
    SELECT coalesce(array_agg(u.id), '{}')::text AS audience FROM users u
    WHERE u.realm_id = $1 AND u.is_active AND u.system_bot_kind IS NULL
      AND NOT EXISTS (SELECT FROM blind WHERE blind.id = u.id)
    HAVING ${isRestricted}`,
});

export const blindGuests = statement({
  name: "guests-not-seeing",
  text: `${blind} AND ${isRestricted} ORDER BY u.id`,
});

export const amongBlind = statement({
  name: "guests-not-seeing-among",
  text: `${blind} AND ${isRestricted} AND u.id = ANY(ARRAY(SELECT unnest($4::int[]))) ORDER BY u.id`,
});

/** Compares each guest with each account other than its own. */
const notSeeingAll = statement({
  name: "guests-not-seeing-each",
  text: `SELECT guest.id FROM unnest($2::int[]) AS guest (id)
    WHERE ${isRestricted} AND EXISTS (SELECT FROM users u
      WHERE u.realm_id = $1 AND u.id = ANY(ARRAY(SELECT unnest($3::int[]))) AND u.id <> guest.id AND NOT u.is_bot
        AND NOT ${seesByChannel("guest.id", "u.id")} AND NOT ${sharesConversation("$1", "guest.id", "u.id")})
    ORDER BY guest.id`,
  overrides: { id: notNull },
});

type SeenAccount = Pick<Account, "id" | "realmId" | "isBot">;

/**
 * Returns the current audience of events about an account: all users, or, if guests are restricted, the users who can
 * see it (users.md §2.1).
 * @param options `byChannel`: false for an account that is being deactivated, which hides it from its channels
 * @returns null for all users
 */
export async function loadAccountAudience(
  sql: Sql,
  { id, realmId, isBot }: SeenAccount,
  { byChannel = true }: { readonly byChannel?: boolean } = {},
): Promise<Audience> {
  if (isBot) return null;
  const [row] = await sql.rows(seeing, [realmId, id, byChannel]);
  return row?.audience ?? null;
}

/**
 * Returns the audience of events about an account, and keeps the visibility of accounts unchanged until the transaction
 * ends.
 */
export async function lockAccountAudience(tx: Tx, account: SeenAccount): Promise<Audience> {
  if (account.isBot) return null;
  const { audience } = await loadAfter(lockKeyShared(tx, "userVisibility", account.realmId), {
    audience: loadAccountAudience(tx, account),
  });
  return audience;
}

/** Returns the active guests who cannot see the account. */
export async function guestsNotSeeing(
  sql: Sql,
  { id, realmId, isBot }: SeenAccount,
): Promise<number[]> {
  if (isBot) return [];
  const rows = await sql.rows(blindGuests, [realmId, id, true]);
  return rows.map((row) => row.id);
}

/** Returns the given accounts that are guests who cannot see the account. */
export async function notSeeingAmong(
  sql: Sql,
  { id, realmId, isBot }: SeenAccount,
  userIds: readonly number[],
): Promise<Set<number>> {
  if (isBot || userIds.length === 0) return new Set();
  const rows = await sql.rows(amongBlind, [realmId, id, true, userIds]);
  return new Set(rows.map((row) => row.id));
}

/**
 * Returns the given guests who cannot see at least one of the given accounts. The cost grows with the product of both
 * numbers.
 */
export async function guestsNotSeeingAll(
  sql: Sql,
  realmId: number,
  guestIds: readonly number[],
  userIds: readonly number[],
): Promise<Set<number>> {
  if (guestIds.length === 0) return new Set();
  const rows = await sql.rows(notSeeingAll, [realmId, guestIds, userIds]);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Locks the visibility of accounts exclusively until the transaction ends: blocks other changes of what guests can see,
 * and events about accounts.
 */
export async function lockUserVisibility(tx: Tx, realmId: number): Promise<void> {
  await lockKey(tx, "userVisibility", realmId);
}
