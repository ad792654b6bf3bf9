import { errors, isAtLeast, roles } from "@carillon/contract";
import { type Database, sqlState, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  checkFullName,
  checkNameIsFree,
  currentActor,
  endInvitations,
  invitesChangedEvents,
  linksAtOnce,
  loadAfter,
  loadRealm,
  lockGroupGraph,
  lockInvitations,
  type LockedInvitation,
  type Realm,
  type Site,
} from "@carillon/model";

import { customWelcome } from "../notices/custom-welcome.ts";
import { recordSignupNotice } from "../notices/record.ts";
import { welcome } from "../notices/send.ts";
import { checkAddressIsAllowed } from "./allowed-addresses.ts";
import { addressTaken, checkAddressIsFree, checkNewAddress } from "./change-address.ts";
import { recordInvitationEnds } from "./end-invitations.ts";
import { type InsertedUser, insertUser, type NewUser } from "./insert-user.ts";
import { checkPassword, hashPassword } from "./passwords.ts";

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
