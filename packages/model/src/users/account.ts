import { errors } from "@carillon/contract";
import { packed, type RowOf, type Sql, statement, type Tx, typed } from "@carillon/db";

import type { RuleSetting } from "../settings.ts";

/** Types of {@link accountColumns} that PostgreSQL cannot describe. */
export const accountOverrides = {
  systemBotKind: typed<"notification" | "scheduling" | "welcome">(),
  /** The settings that the rules read, by wire names; use `setting()`. */
  settings: typed<Readonly<Partial<Record<RuleSetting, unknown>>>>(),
};

/**
 * An account (person or bot) with the fields that the rules need.
 * - `email`: the visible address: the delivery address, or `user{id}@…` if it is hidden.
 * - `role`: one of `roles`.
 * - `botType`: 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for people
 * - `emailAddressVisibility`: 1 everyone, 2 members, 3 administrators, 4 nobody, 5 moderators
 * - `dateJoined`: UNIX time in seconds, with a fraction.
 */
export type Account = RowOf<typeof byIds>;

/** SQL: columns of the table `users`, called `u`. */
export const accountColumns = `u.id, u.realm_id AS "realmId", u.delivery_email AS "deliveryEmail", u.email,
  u.full_name AS "fullName", u.role, u.is_active AS "isActive", u.is_bot AS "isBot", u.bot_type AS "botType",
  u.bot_owner_id AS "botOwnerId", u.system_bot_kind AS "systemBotKind", u.avatar_source AS "avatarSource",
  u.avatar_version AS "avatarVersion", u.avatar_file AS "avatarFile", u.email_address_visibility AS "emailAddressVisibility", u.timezone,
  u.is_imported_stub AS "isImportedStub", u.is_deleted AS "isDeleted", u.can_create_users AS "canCreateUsers",
  u.can_change_user_emails AS "canChangeUserEmails",
  extract(epoch FROM u.date_joined)::float8 AS "dateJoined",
  u.default_sending_channel_id AS "defaultSendingChannelId", u.rule_settings AS settings`;

const byIds = statement({
  name: "accounts-with-owners",
  text: `SELECT ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND u.id = ANY(ARRAY(SELECT unnest($2::int[])))
    UNION ALL
    SELECT ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND u.id IN (
      SELECT bot_owner_id FROM users WHERE id = ANY(ARRAY(SELECT unnest($2::int[]))) AND is_bot)`,
  overrides: accountOverrides,
});

/** Loads the organization's accounts with these ids, by id, and the owners of the bots among them. */
export async function loadAccounts(
  sql: Sql,
  realmId: number,
  ids: readonly number[],
): Promise<Map<number, Account>> {
  const rows = await sql.rows(byIds, [realmId, packed.ints(ids)]);
  return new Map(rows.map((account) => [account.id, account]));
}

/** An account with the fields that are needed to add it to a channel or group. */
export type ActiveAccount = RowOf<typeof lockActive>;

const lockActive = statement({
  name: "active-accounts-lock",
  text: `SELECT id, role, is_bot AS "isBot", bot_owner_id AS "botOwnerId" FROM users
    WHERE realm_id = $1 AND id = ANY($2::int[]) AND is_active AND system_bot_kind IS NULL
    ORDER BY id FOR SHARE`,
});

/**
 * Locks in shared mode and returns the organization's active accounts with these ids, without duplicates, so that they
 * stay active until the transaction ends.
 * @throws ApiError `BAD_REQUEST` unless all are active accounts
 */
export async function loadActiveAccounts(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<ActiveAccount[]> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return [];
  const accounts = await tx.lock({ name: "accounts", keys: distinct, shared: true }, lockActive, [
    realmId,
    distinct,
  ]);
  if (accounts.length < distinct.length) throw noSuchActiveUser();
  return accounts;
}

/** The error for an account that is unknown or inactive. */
export function noSuchActiveUser() {
  return errors.badRequest("There is no such active user");
}
