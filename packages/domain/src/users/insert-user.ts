import { groupOfRole, type NewEvent, roles, type SystemGroupName } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { randomKey } from "@carillon/kit";
import {
  type Account,
  accountColumns,
  accountOverrides,
  hostOf,
  loadNamedGroups,
  loadRealmDefaults,
  loadSystemGroups,
  lockGroupGraph,
  lockUserVisibility,
  type Realm,
  settingsColumns,
  type Site,
  visibleToEveryone,
} from "@carillon/model";

import { subscribeNewcomer } from "../channels/default-channels.ts";
import { newAccountEvents } from "./user-events.ts";

/** The data of a new account. Missing fields get the defaults of a new member. */
export interface NewUser {
  readonly email: string;
  readonly fullName: string;
  /** Default: member. */
  readonly role?: number;
  /** Made by `hashPassword`; without one the account cannot log in by password. */
  readonly passwordHash?: string;
  /** Default: a new random key. */
  readonly apiKey?: string;
  readonly isBot?: boolean;
  /** Only for bots. Default: 1. */
  readonly botType?: 1 | 2 | 3 | 4;
  readonly botOwnerId?: number;
  /** The kind of a system bot: system bots are in no group and in no list of members. */
  readonly systemBotKind?: "notification" | "scheduling" | "welcome";
  readonly timezone?: string;
  readonly canCreateUsers?: boolean;
  readonly canChangeUserEmails?: boolean;
  /** The creator for the audit log; undefined for the accounts of a new organization. */
  readonly createdBy?: number;
  /** Settings by wire names, which override the organization's defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The offer of the link that the person joins with. Default: the default channels; nothing for guests and bots. */
  readonly offer?: NewcomersOffer;
}

/** Channels and groups of a new account. Archived channels and deactivated groups are left out. */
export interface NewcomersOffer {
  readonly channelIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly includeDefaults: boolean;
}

/** An inserted account. */
export interface InsertedUser {
  readonly account: Account;
  readonly apiKey: string;
  /** The events to emit. */
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
  overrides: accountOverrides,
});

/**
 * Inserts an account and its dependent rows (users.md §5): settings copied from the organization's defaults,
 * memberships in system groups, subscriptions to default channels.
 * @throws a unique violation (SQLSTATE 23505) if the address is taken
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
  const { offer = defaultOffer(isBot || role === roles.guest) } = user;
  const groups = await joinGroups(tx, realm, account, offer.groupIds, user.createdBy ?? null);
  const subscribed = await subscribeNewcomer(tx, realm, account, offer);
  if (realm.restrictsGuests) await lockUserVisibility(tx, realm.id);
  const place = { host: hostOf(site, realm), siteUrl: site.url };
  return {
    account,
    apiKey,
    events: [...(await newAccountEvents(tx, place, account, groups)), ...subscribed],
  };
}

function defaultOffer(nothing: boolean): NewcomersOffer {
  return { channelIds: [], groupIds: [], includeDefaults: !nothing };
}

async function newSettings(tx: Tx, realm: Realm): Promise<Record<string, unknown>> {
  return { ...(await loadRealmDefaults(tx, realm.id)), default_language: realm.defaultLanguage };
}

/** Inserts the memberships, and the entry of the audit log about the account. */
const join = statement({
  name: "join-groups",
  text: `WITH joined AS (
      INSERT INTO user_group_member (group_id, user_id) SELECT unnest($1::int[]), $2
    )
    INSERT INTO audit_log (realm_id, acting_user_id, modified_user_id, event_type)
    VALUES ($3, $4, $2, 'user_created')`,
});

/**
 * Adds a new account to the group of its role, to the full members if there is no waiting period, and to those of the
 * given groups that are neither system groups nor deactivated. Writes the entry of the audit log about the account.
 * @returns the ids of the groups
 */
async function joinGroups(
  tx: Tx,
  realm: Realm,
  account: Account,
  groupIds: readonly number[],
  createdBy: number | null,
): Promise<number[]> {
  const groups = await loadSystemGroups(tx, realm.id);
  const names: SystemGroupName[] = [groupOfRole[account.role] ?? "role:everyone"];
  if (account.role === roles.member && realm.waitingPeriodThreshold === 0)
    names.push("role:fullmembers");
  const named = await loadNamedGroups(tx, realm.id, groupIds);
  const ids = [
    ...names.map((name) => groups[name]),
    ...[...named.values()].flatMap(({ id, deactivated, isSystemGroup }) =>
      deactivated || isSystemGroup ? [] : [id],
    ),
  ];
  await tx.rows(join, [ids, account.id, realm.id, createdBy]);
  return ids;
}

/** Selects the named groups that have an account as a direct member. */
export const groupsOfAccount = statement({
  name: "groups-of-account",
  text: `SELECT g.id, g.deactivated FROM user_group_member m JOIN named_user_group g ON g.id = m.group_id
    WHERE m.user_id = $1 ORDER BY g.id`,
});
