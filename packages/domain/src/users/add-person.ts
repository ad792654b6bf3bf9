import {
  type Account,
  type Site,
  checkFullName,
  checkNameIsFree,
  loadRealm,
  lockGroupGraph,
} from "@carillon/model";
import { sqlState, type Database, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { welcome } from "../notices/welcome.ts";
import { checkPassword } from "./check-password.ts";
import { insertUser } from "./insert-user.ts";
import { addressTaken, checkAddressIsFree, checkNewAddress } from "./new-address.ts";
import { hashPassword } from "./passwords.ts";

/** A person who is to have an account, as they were typed in. */
export interface NewPerson {
  readonly email: string;
  readonly password: string;
  readonly fullName: string;
  /** A member's unless given. */
  readonly role?: number;
}

/**
 * Adds a person to an organization and welcomes them (users.md §5). The password is hashed before the transaction
 * begins, which would otherwise hold a connection for as long.
 * @param authorize checks in the transaction who adds them; their id for the audit log, null for an operator
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
      const [, createdBy, current] = await Promise.all([
        lockGroupGraph(tx, realm.id),
        authorize(tx),
        loadRealm(tx, realm.id),
      ]);
      await checkNameIsFree(tx, current, fullName);
      const { account, apiKey, events } = await insertUser(tx, site, current, {
        email,
        fullName,
        passwordHash,
        ...(person.role === undefined ? {} : { role: person.role }),
        ...(createdBy === null ? {} : { createdBy }),
      });
      emit(tx, realm.id, [...events, ...(await welcome(tx, current, [account]))]);
      return { account, apiKey };
    })
    .catch((error: unknown) => {
      throw sqlState(error) === "23505" ? addressTaken() : error;
    });
}
