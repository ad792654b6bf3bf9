import { statement, type Sql } from "@carillon/db";
import { BadParameter } from "../http/parameters.ts";
import { idIn } from "./organization.ts";

/** Limit of accounts with one name or address. */
const maxRows = 100;

const matching = statement({
  name: "dashboard-accounts-named",
  text: `SELECT id FROM users u
    WHERE id = ANY(ARRAY(
        (SELECT id FROM users WHERE id = $2)
        UNION (SELECT id FROM users WHERE lower(delivery_email) = lower($1) LIMIT ${maxRows})
        UNION (SELECT id FROM users WHERE lower(email) = lower($1) LIMIT ${maxRows})
        UNION (SELECT n.id FROM realms r JOIN users n ON n.realm_id = r.id AND lower(n.full_name) = lower($1)
          WHERE $3::int IS NULL OR r.id = $3 LIMIT ${maxRows + 1})))
      AND ($3::int IS NULL OR realm_id = $3)
    ORDER BY id LIMIT ${maxRows + 1}`,
});

/**
 * Finds accounts by id, e-mail address or full name, case-insensitive.
 * @param realmId default: all organizations
 * @throws BadParameter when the name is too ambiguous
 */
export async function findAccountIds(sql: Sql, text: string, realmId?: number): Promise<number[]> {
  const rows = await sql.rows(matching, [text, idIn(text) ?? null, realmId ?? null]);
  if (rows.length > maxRows)
    throw new BadParameter(
      `more than ${maxRows} accounts are called ${text}: give the organization, or an e-mail address`,
    );
  return rows.map(({ id }) => id);
}
