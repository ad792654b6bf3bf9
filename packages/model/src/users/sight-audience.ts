import { roles, type Audience } from "@carillon/contract";
import { column, holdKey, lockKey, statement, type Sql, type Tx } from "@carillon/db";

import { restrictsGuests } from "../realms/restricts-guests.ts";
import type { Account } from "./account.ts";

/** Whether the guest sees the person by a channel: ids as they stand in the statement. */
export const seesByChannel = (guest: string, person: string) => `EXISTS (
    SELECT FROM subscriptions mine JOIN subscriptions theirs ON theirs.channel_id = mine.channel_id
    WHERE mine.user_id = ${guest} AND mine.active
      AND theirs.user_id = ${person} AND theirs.active AND theirs.is_user_active)`;

/** Whether they are in a direct conversation. @param realm the organization's id, as it stands in the statement */
export const sharesConversation = (realm: string, guest: string, person: string) => `EXISTS (
    SELECT FROM recipients d WHERE d.realm_id = ${realm} AND d.member_ids @> ARRAY[${guest}, ${person}])`;

const seesPerson = `(u.id = $2 OR ${sharesConversation("$1", "u.id", "$2")} OR $3 AND ${seesByChannel("u.id", "$2")})`;

const seeing = statement({
  name: "audience-seeing",
  text: `SELECT coalesce(array_agg(u.id), '{}')::text AS audience FROM realms JOIN users u ON u.realm_id = realms.id
    WHERE realms.id = $1 AND ${restrictsGuests} AND u.is_active AND u.system_bot_kind IS NULL
      AND (u.role <> ${roles.guest} OR ${seesPerson}) GROUP BY realms.id`,
  row: { audience: column.text },
});

const notSeeing = statement({
  name: "guests-not-seeing",
  text: `SELECT u.id FROM realms JOIN users u ON u.realm_id = realms.id
    WHERE realms.id = $1 AND ${restrictsGuests} AND u.is_active AND u.role = ${roles.guest} AND NOT ${seesPerson}
    ORDER BY u.id`,
  row: { id: column.int },
});

type Told = Pick<Account, "id" | "realmId" | "isBot">;

/**
 * Who may be told of the account: everybody, or where guests do not see everybody those who see it (users.md §2.1), as
 * they are when this is read.
 * @param how without `byChannel` as if the account were deactivated, which its channels do not show
 */
export async function audienceNow(
  sql: Sql,
  { id, realmId, isBot }: Told,
  { byChannel = true }: { readonly byChannel?: boolean } = {},
): Promise<Audience> {
  if (isBot) return null;
  const [row] = await sql.rows(seeing, [realmId, id, byChannel]);
  return row?.audience ?? null;
}

/** The same; until the transaction ends nobody begins or ceases to see accounts. */
export async function audienceSeeing(tx: Tx, account: Told): Promise<Audience> {
  if (account.isBot) return null;
  const [, audience] = await Promise.all([
    holdKey(tx, "sight", account.realmId),
    audienceNow(tx, account),
  ]);
  return audience;
}

/** The guests, active ones, who do not see the account. */
export async function guestsNotSeeing(sql: Sql, { id, realmId, isBot }: Told): Promise<number[]> {
  if (isBot) return [];
  const rows = await sql.rows(notSeeing, [realmId, id, true]);
  return rows.map((row) => row.id);
}

/**
 * One change at a time of whom the organization's guests see, until the transaction ends; nobody tells of accounts
 * meanwhile.
 */
export async function changeSight(tx: Tx, realmId: number): Promise<void> {
  await lockKey(tx, "sight", realmId);
}
