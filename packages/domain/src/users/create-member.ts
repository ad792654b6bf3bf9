import {
  type Account,
  type Site,
  checkFullName,
  checkNameIsFree,
  currentActor,
  loadRealm,
  lockGroupGraph,
} from "@carillon/model";
import { errors, isAtLeast, roles } from "@carillon/contract";
import { sqlState, type Database } from "@carillon/db";
import { emit } from "@carillon/events";
import { codePointLength } from "@carillon/kit";

import { welcome } from "../notices/welcome.ts";
import { isCommonPassword } from "./common-passwords.ts";
import { insertUser } from "./insert-user.ts";
import { addressTaken, checkAddressIsFree, checkNewAddress } from "./new-address.ts";
import { hashPassword, passwordLength } from "./passwords.ts";

/**
 * Adds a member on behalf of an administrator who may (users.md §5), and welcomes them. The password is hashed before the transaction
 * begins, which would otherwise hold a connection for as long; what the actor may is asked again in it.
 * @returns its id
 * @throws ApiError `BAD_REQUEST`
 */
export async function createMember(
  db: Database,
  site: Site,
  actor: Account,
  input: { readonly email: string; readonly password: string; readonly fullName: string },
): Promise<number> {
  checkMayCreate(actor);
  const realm = await loadRealm(db, actor.realmId);
  const fullName = checkFullName(input.fullName);
  const email = checkNewAddress(site, realm, input.email);
  await checkAddressIsFree(db, realm, email);
  await checkPassword(input.password);
  const passwordHash = await hashPassword(input.password);
  return db
    .transaction(async (tx) => {
      const [, now, current] = await Promise.all([
        lockGroupGraph(tx, realm.id),
        currentActor(tx, actor),
        loadRealm(tx, realm.id),
      ]);
      checkMayCreate(now);
      await checkNameIsFree(tx, current, fullName);
      const { account, events } = await insertUser(tx, site, current, {
        email,
        fullName,
        passwordHash,
        createdBy: actor.id,
      });
      emit(tx, realm.id, [...events, ...(await welcome(tx, current, [account]))]);
      return account.id;
    })
    .catch((error: unknown) => {
      throw sqlState(error) === "23505" ? addressTaken() : error;
    });
}

/** @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST` */
function checkMayCreate(actor: Account): void {
  if (!isAtLeast(actor, roles.administrator))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
  if (!actor.canCreateUsers) throw errors.badRequest("You may not create users");
}

/** @throws ApiError `BAD_REQUEST` */
export async function checkPassword(password: string): Promise<void> {
  const length = codePointLength(password);
  const { min, max } = passwordLength;
  if (length < min) throw errors.badRequest(`password is too weak: use at least ${min} characters`);
  if (length > max) throw errors.badRequest(`password must not have more than ${max} characters`);
  if (await isCommonPassword(password))
    throw errors.badRequest(
      "password is one of the most common ones, which are guessed first: choose another",
    );
}
