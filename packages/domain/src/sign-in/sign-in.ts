import { type Database, statement, type Tx } from "@carillon/db";
import { sendMail } from "@carillon/jobs";
import { isEmailAddress, type Realm, type Site, writeAudit } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import { accountOfAddress, linkAccount, linkedAccount, lockAddressee } from "./accounts.ts";
import type { Identity } from "./identity.ts";
import { applyMappings } from "./map-claims.ts";
import { type Joining, type NameNeeded, signUp } from "./sign-up.ts";

/** The result of a successful sign-in. */
export interface SignedIn {
  readonly id: number;
  /** The delivery address. */
  readonly email: string;
  readonly apiKey: string;
}

interface Refused {
  readonly refused: SignInRefusal;
}

/** Why a person cannot sign in, although the provider knows them. */
export type SignInRefusal =
  /** The provider has not verified an address, and the identity is linked to no account. */
  | "noVerifiedAddress"
  /** The organization or the account is deactivated. */
  | "deactivated"
  /** The account of the address belongs to another identity of the provider, or is a bot. */
  | "addressTaken"
  /** There is no account, and nothing lets the person make one. */
  | "noAccount";

export type SignInOutcome = SignedIn | Refused | NameNeeded;

/**
 * Signs in a person that the provider has identified (people.md §5): finds, links or creates the account, gives it the role
 * and the user groups that follow from the person's groups at the provider, and returns its API key.
 */
export async function signIn(
  db: Database,
  site: Site,
  realm: Realm,
  identity: Identity,
  joining: Joining,
): Promise<SignInOutcome> {
  const found = await findOrMake(db, site, realm, identity, joining);
  if ("refused" in found || "needsName" in found) return found;
  const person = { id: found.id, realmId: realm.id };
  const { identityProvider } = site;
  if (identityProvider && identity.groups)
    await applyMappings(db, person, identityProvider, identity.groups);
  return db.transaction((tx) => finish(tx, site, person, found.isNew));
}

/** The account of an identity. */
interface Found {
  readonly id: number;
  /** Whether this sign-in has linked or made it: the mail about a sign-in is not sent then. */
  readonly isNew: boolean;
}

/** Maximum attempts. An attempt fails if it loses a race with another sign-in of the same person. */
const attempts = 3;

async function findOrMake(
  db: Database,
  site: Site,
  realm: Realm,
  identity: Identity,
  joining: Joining,
): Promise<Found | Refused | NameNeeded> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const linked = await linkedAccount(db, realm.id, identity);
    if (linked)
      return linked.isActive ? { id: linked.id, isNew: false } : { refused: "deactivated" };
    const { email } = identity;
    if (email === undefined || !isEmailAddress(email)) return { refused: "noVerifiedAddress" };
    const holder = await accountOfAddress(db, realm.id, identity);
    if (!holder) {
      const made = await signUp(db, site, realm, { ...identity, email }, joining);
      if (made !== "again") return made;
      continue;
    }
    if (holder.isBot || holder.hasLink) {
      // Another window may have made and linked the account between the two look-ups.
      if (await linkedAccount(db, realm.id, identity)) continue;
      return { refused: "addressTaken" };
    }
    if (!holder.isActive) return { refused: "deactivated" };
    const isLinked = await db.transaction((tx) => link(tx, realm.id, holder.id, identity));
    if (isLinked) return { id: holder.id, isNew: true };
  }
  return { refused: "noAccount" };
}

/** Links an existing account, and records a mail to its address. @returns false if the account has changed meanwhile */
async function link(tx: Tx, realmId: number, userId: number, identity: Identity): Promise<boolean> {
  const account = await lockAddressee(tx, realmId, userId, identity);
  if (!account) return false;
  const linkId = await linkAccount(tx, account, identity);
  if (linkId === undefined) return false;
  const kind = "identity-linked";
  await recordIntents(tx, realmId, sendMail, [
    { key: `${kind}-${linkId}`, payload: { kind, linkId } },
  ]);
  return true;
}

const keyOf = statement({
  name: "sign-in-key",
  text: `SELECT u.delivery_email AS email, u.api_key_sealed AS "apiKeySealed",
      u.settings->'enable_login_emails' IS DISTINCT FROM 'false'::jsonb AS "wantsMail"
    FROM users u JOIN realms r ON r.id = u.realm_id
    WHERE u.realm_id = $1 AND u.id = $2 AND u.is_active AND NOT r.deactivated`,
});

/** Records the sign-in, and returns the key. */
async function finish(
  tx: Tx,
  { secrets }: Site,
  { id, realmId }: { readonly id: number; readonly realmId: number },
  isNew: boolean,
): Promise<SignInOutcome> {
  const row = await tx.first(keyOf, [realmId, id]);
  if (!row) return { refused: "deactivated" };
  const [auditId] = await writeAudit(tx, realmId, id, [{ type: "user_signed_in", userId: id }]);
  if (auditId === undefined) throw new Error("audit insert returned no id");
  if (row.wantsMail && !isNew) {
    const kind = "signed-in";
    await recordIntents(tx, realmId, sendMail, [
      { key: `${kind}-${auditId}`, payload: { kind, auditId } },
    ]);
  }
  return { id, email: row.email, apiKey: secrets.open(row.apiKeySealed) };
}
