import { errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";

import type { Account } from "../users/account.ts";
import { setFields, statusColumns, type UserStatus } from "./user-status.ts";

/**
 * What somebody says of themselves; only what is set.
 * @throws ApiError `BAD_REQUEST` when the organization has no such account
 */
export async function readStatus(
  sql: Sql,
  viewer: Account,
  userId: number,
): Promise<Partial<UserStatus>> {
  const [row] = await sql.rows<{ [Field in keyof UserStatus]: UserStatus[Field] | null }>(
    `SELECT ${statusColumns} FROM users u LEFT JOIN user_status s ON s.user_id = u.id
     WHERE u.realm_id = $1 AND u.id = $2`,
    [viewer.realmId, userId],
  );
  if (!row) throw errors.badRequest("There is no such user");
  return isThere(row) ? setFields(row) : {};
}

function isThere(row: { status_text: string | null }): row is UserStatus {
  return row.status_text !== null;
}

/** What everybody in the organization says of themselves, by account id; those who say nothing are left out. */
export async function listStatuses(
  sql: Sql,
  realmId: number,
): Promise<Record<string, Partial<UserStatus>>> {
  const rows = await sql.rows<UserStatus & { id: number }>(
    `SELECT u.id, ${statusColumns} FROM user_status s JOIN users u ON u.id = s.user_id
     WHERE s.realm_id = $1 AND u.is_active AND (s.status_text <> '' OR s.emoji_name <> '')`,
    [realmId],
  );
  return Object.fromEntries(rows.map((row) => [row.id, setFields(row)]));
}
