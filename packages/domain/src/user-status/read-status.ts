import type { Account } from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import { setFields, statusColumns, statusRow, type UserStatus } from "./user-status.ts";

const ofAccount = statement({
  name: "status-of-account",
  text: `SELECT ${statusColumns} FROM users u LEFT JOIN user_status s ON s.user_id = u.id
    WHERE u.realm_id = $1 AND u.id = $2`,
  row: {
    status_text: column.text.orNull(),
    emoji_name: column.text.orNull(),
    emoji_code: column.text.orNull(),
    reaction_type: column.text.orNull(),
  },
});

/**
 * What somebody says of themselves; only what is set.
 * @throws ApiError `BAD_REQUEST` when the organization has no such account
 */
export async function readStatus(
  sql: Sql,
  viewer: Account,
  userId: number,
): Promise<Partial<UserStatus>> {
  const [row] = await sql.rows(ofAccount, [viewer.realmId, userId]);
  if (!row) throw errors.badRequest("There is no such user");
  return isThere(row) ? setFields(row) : {};
}

function isThere(row: { status_text: string | null }): row is UserStatus {
  return row.status_text !== null;
}

const ofRealm = statement({
  name: "statuses-of-realm",
  text: `SELECT s.user_id AS id, ${statusColumns} FROM user_status s
    WHERE s.realm_id = $1 AND (s.status_text <> '' OR s.emoji_name <> '')`,
  row: { id: column.int, ...statusRow },
});

/**
 * What everybody in the organization says of themselves, by account id; those who say nothing are left out. An account
 * that is deactivated is not: no event tells of it when they come back.
 */
export async function listStatuses(
  sql: Sql,
  realmId: number,
): Promise<Record<string, Partial<UserStatus>>> {
  const rows = await sql.rows(ofRealm, [realmId]);
  return Object.fromEntries(rows.map((row) => [row.id, setFields(row)]));
}
