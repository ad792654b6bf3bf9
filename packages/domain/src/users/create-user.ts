import {
  errors,
  groupOfRole,
  isAtLeast,
  type NewEvent,
  roles,
  type SystemGroupName,
} from "@carillon/contract";
import { type Database, sqlState, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { randomKey } from "@carillon/kit";
import {
  type Account,
  accountColumns,
  accountOverrides,
  lockUserVisibility,
  checkFullName,
  checkNameIsFree,
  currentActor,
  hostOf,
  loadRealm,
  loadNamedGroups,
  loadRealmDefaults,
  loadSystemGroups,
  lockGroupGraph,
  lockInvitations,
  type Realm,
  settingsColumns,
  type Site,
  visibleToEveryone,
  loadAfter,
  endInvitations,
  invitesChangedEvents,
  linksAtOnce,
  type LockedInvitation,
} from "@carillon/model";

import { subscribeNewcomer } from "../channels/default-channels.ts";
import { customWelcome } from "../notices/custom-welcome.ts";
import { welcome } from "../notices/send.ts";
import { addressTaken, checkAddressIsFree, checkNewAddress } from "./change-address.ts";
import { checkAddressIsAllowed } from "./allowed-addresses.ts";
import { recordSignupNotice } from "../notices/record.ts";
import { recordInvitationEnds } from "./end-invitations.ts";
import { checkPassword, hashPassword } from "./passwords.ts";
import { newAccountEvents } from "./user-events.ts";

/**
 * Inserts an account and emits its events; the last call of its transaction.
 * @throws a unique violation (SQLSTATE 23505) if the address is taken
 */
export async function createUser(
  tx: Tx,
  site: Site,
  realm: Realm,
  user: NewUser,
): Promise<{ account: Account; apiKey: string }> {
  const { account, apiKey, events } = await insertUser(tx, site, realm, user);
  emit(tx, realm.id, events);
  return { account, apiKey };
}

/**
 * Creates a member for an administrator (users.md §5), and sends the welcome message. The actor's permission is checked
 * again in the transaction.
 * @returns its id
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function createMember(
  db: Database,
  site: Site,
  actor: Account,
  input: { readonly email: string; readonly password: string; readonly fullName: string },
): Promise<number> {
  assertCanCreateUsers(actor);
  const { account } = await addPerson(db, site, actor.realmId, input, async (tx) => {
    assertCanCreateUsers(await currentActor(tx, actor));
    await checkAddressIsAllowed(tx, actor.realmId, input.email);
    return actor.id;
  });
  return account.id;
}

/**
 * Throws ApiError `UNAUTHORIZED_PRINCIPAL` unless the actor is an administrator, and `BAD_REQUEST` unless they may
 * create users.
 */
function assertCanCreateUsers(actor: Account): void {
  if (!isAtLeast(actor, roles.administrator))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
  if (!actor.canCreateUsers) throw errors.badRequest("You may not create users");
}

/** The input for a new person's account. */
export interface NewPerson {
  readonly email: string;
  readonly password: string;
  readonly fullName: string;
  /** Default: member. */
  readonly role?: number;
}

/**
 * Creates a person's account and sends the welcome message (users.md §5). Hashes the password before the transaction
 * begins, so that no connection is held meanwhile.
 * @param authorize checks the actor in the transaction; returns its id for the audit log, null for an operator
 * @throws ApiError `BAD_REQUEST`; what `authorize` throws
 */
export async function addPerson(
  db: Database,
  site: Site,
  realmId: number,
  person: NewPerson,
  authorize: (tx: Tx) => Promise<number | null>,
): Promise<{ account: Account; apiKey: string }> {
  const realm = await loadRealm(db, realmId);
  const fullName = checkFullName(person.fullName);
  const email = checkNewAddress(site, realm, person.email);
  await checkAddressIsFree(db, realm, email);
  await checkPassword(person.password);
  const passwordHash = await hashPassword(person.password);
  return db
    .transaction(async (tx) => {
      const { createdBy, current, links } = await loadAfter(lockGroupGraph(tx, realm.id), {
        createdBy: authorize(tx),
        current: loadRealm(tx, realm.id),
        links: lockInvitations(tx, realm.id, 0, email),
      });
      await checkNameIsFree(tx, current, fullName);
      const { account, apiKey, events } = await admitPerson(tx, site, current, links, {
        email,
        fullName,
        passwordHash,
        ...(person.role === undefined ? {} : { role: person.role }),
        ...(createdBy === null ? {} : { createdBy }),
      });
      emit(tx, realm.id, events);
      return { account, apiKey };
    })
    .catch((error: unknown) => {
      throw sqlState(error) === "23505" ? addressTaken() : error;
    });
}

/**
 * Inserts a person's account, ends the links of its address, records the announcement and sends the welcome message.
 * @param links the links of the address, locked
 * @param customText sent as a second message, empty for none; null for the organization's text
 * @returns the events to emit
 * @throws a unique violation (SQLSTATE 23505) if the address is taken
 */
export async function admitPerson(
  tx: Tx,
  site: Site,
  realm: Realm,
  links: readonly LockedInvitation[],
  person: NewUser,
  customText: string | null = null,
): Promise<InsertedUser> {
  const { account, apiKey, events } = await insertUser(tx, site, realm, person);
  await endInvitations(
    tx,
    realm.id,
    links.map(({ id }) => id),
  );
  if (links.length >= linksAtOnce) await recordInvitationEnds(tx, realm.id, account.id);
  await recordSignupNotice(tx, realm, account);
  const makers = links.map(({ makerId }) => makerId);
  const custom = await customWelcome(tx, site, account, customText);
  return {
    account,
    apiKey,
    events: [
      ...events,
      ...(makers.length > 0 ? await invitesChangedEvents(tx, realm.id, makers) : []),
      ...(await welcome(tx, realm, [account], custom)),
    ],
  };
}

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
  /** The offer of the link that the person joins with. Default: the default channels; nothing for guests. */
  readonly offer?: NewcomersOffer;
}

/** Channels and groups of a new account. Archived channels and deactivated groups are left out. */
export interface NewcomersOffer {
  readonly channelIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly includeDefaults: boolean;
}

interface InsertedUser {
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
 * given groups that are neither system groups nor deactivated.
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
