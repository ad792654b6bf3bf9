import { ApiError } from "@carillon/contract";
import type { Database, Sql } from "@carillon/db";
import { areAlikeButForCase } from "@carillon/kit";
import type { Realm, Site } from "@carillon/model";

import { joinOrganization } from "../invitations/join.ts";
import {
  findInvitationTo,
  findUsableLink,
  hasAccount,
  isOpenForSignUp,
  refusesAddress,
} from "../invitations/usable-links.ts";
import { checkNewAddress } from "../users/change-address.ts";
import { linkAccount } from "./accounts.ts";
import type { Identity } from "./identity.ts";

/** Input of a person without an account to a sign-in. */
export interface Joining {
  /** The key of the link with which the person wants to join. */
  readonly link: string | undefined;
  /** The name that the person has typed; default: the provider's. */
  readonly fullName?: string | undefined;
}

/** The person may join, but must enter a name or agree to the terms first. */
export interface NameNeeded {
  readonly needsName: {
    readonly email: string;
    /** Prefills the form. */
    readonly name: string;
    /** Why the name is not accepted; undefined if no name has been checked yet. */
    readonly problem: string | undefined;
  };
}

type Newcomer = Identity & { readonly email: string };

/**
 * Makes the account of a person who has none, and links it (people.md §5).
 * @returns "again" if something has changed meanwhile
 */
export async function signUp(
  db: Database,
  site: Site,
  realm: Realm,
  identity: Newcomer,
  joining: Joining,
): Promise<
  | { readonly id: number; readonly isNew: true }
  | { readonly refused: "noAccount" }
  | NameNeeded
  | "again"
> {
  const way = await wayIn(db, site, realm, identity.email, joining.link);
  if (!way) {
    // Another window may have made the account after this one looked for it.
    return (await hasAccount(db, realm.id, identity.email)) ? "again" : { refused: "noAccount" };
  }
  const { fullName } = joining;
  const name = fullName ?? identity.name ?? "";
  const ask = (problem: string | undefined) => ({
    needsName: { email: identity.email, name, problem },
  });
  // The form also asks for the agreement to the terms.
  if (fullName === undefined && (name === "" || site.termsUrl !== undefined)) return ask(undefined);
  try {
    const id = await db.transaction(async (tx) => {
      const joined = await joinOrganization(tx, site, {
        realmId: realm.id,
        linkId: way.linkId,
        email: identity.email,
        fullName: name,
        passwordHash: null,
      });
      if (joined === "gone") return undefined;
      if ((await linkAccount(tx, joined.account, identity)) === undefined) throw new LostRace();
      return joined.account.id;
    });
    return id === undefined ? "again" : { id, isNew: true };
  } catch (error) {
    if (error instanceof LostRace) return "again";
    if (error instanceof ApiError && error.code === "BAD_REQUEST") return ask(error.message);
    throw error;
  }
}

/** Another request has linked the identity meanwhile; rolls the transaction back. */
class LostRace extends Error {}

/**
 * Finds what lets a person join: the link that the browser brought, an invitation to the address, or the rules of the
 * organization and the server.
 * @returns the id of the link, null if none is needed; undefined if the person may not join
 */
async function wayIn(
  sql: Sql,
  site: Site,
  realm: Realm,
  email: string,
  key: string | undefined,
): Promise<{ readonly linkId: number | null } | undefined> {
  try {
    checkNewAddress(site, realm, email);
  } catch {
    return undefined;
  }
  const brought = key === undefined ? undefined : await findUsableLink(sql, site, realm.id, key);
  const link =
    brought && (brought.email === null || areAlikeButForCase(brought.email, email))
      ? brought
      : await findInvitationTo(sql, realm.id, email);
  if (
    !link &&
    site.identityProvider?.autoSignup !== "all" &&
    !(await isOpenForSignUp(sql, realm.id))
  )
    return undefined;
  if (await refusesAddress(sql, realm, email)) return undefined;
  return { linkId: link?.id ?? null };
}
