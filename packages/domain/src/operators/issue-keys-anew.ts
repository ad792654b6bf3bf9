import type { Secrets } from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";
import { randomKey } from "@carillon/kit";

const batch = 1_000;

const lockAccounts = statement({
  name: "keys-anew-lock",
  text: "LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE",
  row: {},
});

const nextAccounts = statement({
  name: "keys-anew-next",
  text: `SELECT id FROM users WHERE id > $1 ORDER BY id LIMIT ${batch}`,
  row: { id: column.int },
});

const store = statement({
  name: "keys-anew-store",
  text: `UPDATE users u SET api_key_sealed = n.sealed, api_key_digest = n.digest
    FROM unnest($1::int[], $2::bytea[], $3::bytea[]) AS n (id, sealed, digest) WHERE u.id = n.id`,
  row: {},
});

const addressChangesAreThere = statement({
  name: "keys-anew-has-address-changes",
  text: "SELECT to_regclass('address_changes') IS NOT NULL AS present",
  row: { present: column.bool },
});

const dropAddressChanges = statement({
  name: "keys-anew-address-changes",
  text: "DELETE FROM address_changes",
  row: {},
});

const audit = statement({
  name: "keys-anew-audit",
  text: "INSERT INTO audit_log (realm_id, event_type) SELECT id, 'api_keys_issued_anew' FROM realms",
  row: {},
});

/**
 * Replaces everything that the database has sealed, where the `SECRET_KEY` that opens it is gone: every account gets
 * another API key, and wishes for another e-mail address, whose mailed links cannot be checked, are dropped.
 * @param sql in one transaction, while no process serves the database
 * @returns how many accounts have another key
 */
export async function issueKeysAnew(sql: Sql, secrets: Secrets): Promise<number> {
  let count = 0;
  let after = 0;
  await sql.rows(lockAccounts, []);
  for (;;) {
    const rows = await sql.rows(nextAccounts, [after]);
    const keys = rows.map(() => randomKey());
    if (rows.length > 0)
      await sql.rows(store, [
        rows.map(({ id }) => id),
        keys.map((key) => secrets.seal(key)),
        keys.map((key) => secrets.digest(key)),
      ]);
    count += rows.length;
    after = rows.at(-1)?.id ?? after;
    if (rows.length < batch) break;
  }
  // A backup of an older version may be without.
  const [found] = await sql.rows(addressChangesAreThere, []);
  if (found?.present) await sql.rows(dropAddressChanges, []);
  await sql.rows(audit, []);
  return count;
}
