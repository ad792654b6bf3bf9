import { type Sql, statement, type Tx } from "@carillon/db";
import { makeResetLink } from "@carillon/jobs";
import type { Realm } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import { loginOf } from "../users/api-key.ts";

const insert = statement({
  name: "reset-request-insert",
  text: "INSERT INTO reset_requests (realm_id, email) VALUES ($1, $2) RETURNING id",
});

/**
 * Records that a password reset was requested for an address. A worker checks whether the address has an account, so
 * that neither the answer nor its time reveals it (people.md §4.1).
 * @param email a valid address
 */
export async function requestReset(tx: Tx, realm: Realm, email: string): Promise<void> {
  const [row] = await tx.rows(insert, [realm.id, email]);
  if (!row) throw new Error("the request was not stored");
  await recordIntents(tx, realm.id, makeResetLink, [
    { key: `make-reset-link-${row.id}`, payload: { requestId: row.id } },
  ]);
}

const folded = statement({
  name: "address-folded",
  text: "SELECT lower($1) AS folded",
});

/** Returns the key under which requests for an address are counted, whether or not it has an account. */
export async function loginOfAddress(sql: Sql, realm: Realm, email: string): Promise<string> {
  const [row] = await sql.rows(folded, [email]);
  return loginOf(realm.id, row?.folded ?? "");
}
