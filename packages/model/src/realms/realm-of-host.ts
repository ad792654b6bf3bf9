import { errors } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import { loadRealm, type Realm } from "./realm.ts";

const byLabel = statement({
  name: "realm-of-host",
  text: `SELECT id FROM realms ORDER BY (subdomain <> '' AND subdomain = $1) DESC, id LIMIT 1`,
  row: { id: column.int },
});

/**
 * The organization that a request without credentials is about: the one whose subdomain is the first label of the
 * host name, else the first that was created (http-contract.md §10).
 * @throws ApiError 503 on a server without any organization
 */
export async function realmOfHost(sql: Sql, host: string): Promise<Realm> {
  const [label = ""] = host.toLowerCase().split(".");
  const [row] = await sql.rows(byLabel, [label]);
  if (!row) throw errors.unavailable("This server has no organization yet");
  return loadRealm(sql, row.id);
}
