import {
  type Account,
  type Realm,
  type Site,
  accountColumns,
  accountRow,
  changeSight,
  hostOf,
  loadRealmDefaults,
  loadSystemGroups,
  lockGroupGraph,
  settingsColumns,
  visibleToEveryone,
} from "@carillon/model";
import { type NewEvent, type SystemGroupName, groupOfRole, roles } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { randomKey } from "@carillon/kit";

import { subscribeToDefaults } from "../channels/subscriptions/default-channels.ts";
import { newAccountEvents } from "./user-events.ts";

/** What an account is made of. Everything left out is as for a new member. */
export interface NewUser {
  readonly email: string;
  readonly fullName: string;
  /** A member's unless given. */
  readonly role?: number;
  /** Made by `hashPassword`; without one the account cannot log in by password. */
  readonly passwordHash?: string;
  /** A fresh one unless given. */
  readonly apiKey?: string;
  readonly isBot?: boolean;
  /** Of a bot: 1 unless given. */
  readonly botType?: 1 | 2 | 3 | 4;
  readonly botOwnerId?: number;
  /** The organization's own bots: they are in no group and on no list of members. */
  readonly systemBotKind?: "notification" | "welcome";
  readonly timezone?: string;
  readonly canCreateUsers?: boolean;
  readonly canChangeUserEmails?: boolean;
  /** Who made it, for the audit log; nobody at the organization's beginning. */
  readonly createdBy?: number;
  /** Over the organization's defaults, by wire names. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface InsertedUser {
  readonly account: Account;
  readonly apiKey: string;
  /** What clients have to be told. */
  readonly events: NewEvent[];
}

const insert = statement({
  name: "insert-user",
  text: `WITH own AS (SELECT nextval(pg_get_serial_sequence('users', 'id'))::int AS id)
    INSERT INTO users AS u (id, realm_id, delivery_email, email, full_name, role, is_bot, bot_type, bot_owner_id,
      system_bot_kind, api_key_sealed, api_key_digest, password_hash, timezone, can_create_users,
      can_change_user_emails, email_address_visibility, rule_settings, settings)
    SELECT own.id, $1, $2, coalesce($3, 'user' || own.id || '@' || $4), $5, $6, $7, $8, $9, $10, $11, $12, $13,
      $14, $15, $16, $17, $18::jsonb, $19::jsonb
    FROM own RETURNING ${accountColumns}`,
  row: accountRow,
});

/**
 * Adds an account with everything that belongs to one (users.md §5): its settings copied from the organization's
 * defaults, its place in the system groups, its subscriptions to the default channels.
 * @throws a unique violation (SQLSTATE 23505) when the address is taken
 */
export async function insertUser(
  tx: Tx,
  site: Site,
  realm: Realm,
  user: NewUser,
): Promise<InsertedUser> {
  await lockGroupGraph(tx, realm.id);
  const { isBot = false, role = roles.member, apiKey = randomKey() } = user;
  const settings = { ...(isBot ? {} : await newSettings(tx, realm)), ...user.settings };
  const { email_address_visibility: visibility = visibleToEveryone, ...others } = settings;
  const columns = settingsColumns(others);
  const account = await tx.first(insert, [
    realm.id,
    user.email,
    visibility === visibleToEveryone ? user.email : null,
    hostOf(site, realm),
    user.fullName,
    role,
    isBot,
    isBot ? (user.botType ?? 1) : null,
    user.botOwnerId ?? null,
    user.systemBotKind ?? null,
    site.secrets.seal(apiKey),
    site.secrets.digest(apiKey),
    user.passwordHash ?? null,
    user.timezone ?? "",
    user.canCreateUsers ?? false,
    user.canChangeUserEmails ?? false,
    visibility,
    columns.ruleSettings,
    columns.settings,
  ]);
  if (!account) throw new Error("the account was not inserted");
  if (account.systemBotKind !== null) return { account, apiKey, events: [] };
  const groups = await joinSystemGroups(tx, realm, account, user.createdBy ?? null);
  const subscribed =
    isBot || role === roles.guest ? [] : await subscribeToDefaults(tx, realm, account);
  if (realm.restrictsGuests) await changeSight(tx, realm.id);
  const place = { host: hostOf(site, realm), siteUrl: site.url };
  return {
    account,
    apiKey,
    events: [...(await newAccountEvents(tx, place, account, groups)), ...subscribed],
  };
}

async function newSettings(tx: Tx, realm: Realm): Promise<Record<string, unknown>> {
  return { ...(await loadRealmDefaults(tx, realm.id)), default_language: realm.defaultLanguage };
}

const join = statement({
  name: "join-system-groups",
  text: `WITH joined AS (
      INSERT INTO user_group_member (group_id, user_id) SELECT unnest($1::int[]), $2
    )
    INSERT INTO audit_log (realm_id, acting_user_id, modified_user_id, event_type)
    VALUES ($3, $4, $2, 'user_created')`,
  row: {},
});

/** Puts a new account into its role's group, and members past the waiting period into the full members' one. */
async function joinSystemGroups(
  tx: Tx,
  realm: Realm,
  account: Account,
  createdBy: number | null,
): Promise<number[]> {
  const groups = await loadSystemGroups(tx, realm.id);
  const names: SystemGroupName[] = [groupOfRole[account.role] ?? "role:everyone"];
  if (account.role === roles.member && realm.waitingPeriodThreshold === 0)
    names.push("role:fullmembers");
  const ids = names.map((name) => groups[name]);
  await tx.rows(join, [ids, account.id, realm.id, createdBy]);
  return ids;
}
