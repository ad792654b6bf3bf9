import { deleteOldest, type DeletedRows, oldestRows, type Sql, statement } from "@carillon/db";
import { randomKey } from "@carillon/kit";
import type { Realm, Site } from "@carillon/model";

import type { Identity } from "./identity.ts";

/** What a gateway must know when the browser comes back from the identity provider (people.md §5). */
export interface Attempt {
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
  /** The one-time pad of an app, 64 hex digits; undefined for a browser without an app. */
  readonly otp: string | undefined;
  /** Whether the pad is of the browser client; else it is of the phone app. */
  readonly isWebClient?: boolean | undefined;
  /** The key of the link with which the person wants to join. */
  readonly link: string | undefined;
}

/** A person that the provider has identified, but that must still enter a name. */
export interface PendingName {
  readonly identity: Identity;
  readonly otp: string | undefined;
  readonly isWebClient?: boolean | undefined;
  readonly link: string | undefined;
}

/** What each kind of row stores between two requests of a browser. */
interface Stored {
  readonly begun: Attempt;
  readonly named: PendingName;
}

/** Minutes for the sign-in at the provider, and again for entering a name. */
const lifetime = 10;

const insert = statement({
  name: "sso-attempt-insert",
  text: `INSERT INTO sso_attempts (realm_id, state_digest, browser_digest, sealed) VALUES ($1, $2, $3, $4)`,
});

/**
 * Stores a sign-in that begins (`begun`), or that continues with the form for the name (`named`).
 * @param key `browser`: the value of the browser's cookie; `state`: finds the row again
 */
export async function storeAttempt<Kind extends keyof Stored>(
  sql: Sql,
  { secrets }: Pick<Site, "secrets">,
  realm: Pick<Realm, "id">,
  { kind, browser, state }: AttemptKey<Kind> & { readonly browser: string },
  attempt: Stored[Kind],
): Promise<void> {
  await sql.rows(insert, [
    realm.id,
    secrets.digest(`sso ${kind} ${state}`),
    secrets.digest(`sso browser ${browser}`),
    secrets.seal(JSON.stringify(attempt)),
  ]);
}

/** Identifies a row. */
interface AttemptKey<Kind extends keyof Stored> {
  readonly kind: Kind;
  readonly state: string;
}

/** Makes a random value for `state`, and for the cookie. */
export function newSignInKey(): string {
  return randomKey();
}

const take = statement({
  name: "sso-attempt-take",
  text: `DELETE FROM sso_attempts WHERE state_digest = $1
    RETURNING realm_id AS "realmId", browser_digest AS "browserDigest", sealed,
      created_at > now() - make_interval(mins => ${lifetime}) AS "isFresh"`,
});

/**
 * Takes an attempt and deletes its row, so that the provider's answer is used at most once across all processes.
 * @returns undefined unless this browser began it in this organization, and it has not expired
 */
export async function takeAttempt<Kind extends keyof Stored>(
  sql: Sql,
  { secrets }: Pick<Site, "secrets">,
  realm: Pick<Realm, "id">,
  { kind, browser, state }: AttemptKey<Kind> & { readonly browser: string | undefined },
): Promise<Stored[Kind] | undefined> {
  const [row] = await sql.rows(take, [secrets.digest(`sso ${kind} ${state}`)]);
  if (!row?.isFresh || row.realmId !== realm.id || browser === undefined) return undefined;
  const isSame = Buffer.from(row.browserDigest).equals(secrets.digest(`sso browser ${browser}`));
  return isSame ? (JSON.parse(secrets.open(row.sealed)) as Stored[Kind]) : undefined;
}

const clear = statement({
  name: "sso-attempts-clear",
  text: oldestRows("sso_attempts", "created_at", "created_at <= now() - interval '1 hour'"),
});

/** Deletes one batch of the attempts that are older than an hour, the oldest first. */
export function clearAttempts(sql: Sql, size: number, before?: DeletedRows): Promise<DeletedRows> {
  return deleteOldest(sql, clear, size, before);
}
