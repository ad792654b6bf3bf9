import { statement, type Sql } from "@carillon/db";
import { BadParameter } from "../http/parameters.ts";
import { idIn } from "./organization.ts";

/** Limit of channels with one name. */
const maxRows = 100;

const matching = statement({
  name: "dashboard-channels-named",
  text: `SELECT id FROM channels c
    WHERE (id = $2 OR (realm_id, lower(name)) IN (SELECT id, lower($1) FROM realms WHERE $3::int IS NULL OR id = $3))
      AND ($3::int IS NULL OR realm_id = $3)
    ORDER BY id LIMIT ${maxRows + 1}`,
});

/**
 * Finds channels by id or name, case-insensitive.
 * @param realmId default: all organizations
 * @throws BadParameter when the name is too ambiguous
 */
export async function findChannelIds(sql: Sql, text: string, realmId?: number): Promise<number[]> {
  const rows = await sql.rows(matching, [text, idIn(text) ?? null, realmId ?? null]);
  if (rows.length > maxRows)
    throw new BadParameter(
      `more than ${maxRows} organizations have a channel called ${text}: give the organization, too`,
    );
  return rows.map(({ id }) => id);
}
