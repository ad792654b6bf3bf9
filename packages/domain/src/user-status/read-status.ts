import {
  type Account,
  type UserStatus,
  loadSight,
  setFields,
  statusColumns,
  statusRow,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

const ofAccount = statement({
  name: "status-of-account",
  text: `SELECT u.id, u.is_bot AS "isBot", ${statusColumns} FROM users u LEFT JOIN user_status s ON s.user_id = u.id
    WHERE u.realm_id = $1 AND u.id = $2`,
  row: {
    id: column.int,
    isBot: column.bool,
    status_text: column.text.orNull(),
    emoji_name: column.text.orNull(),
    emoji_code: column.text.orNull(),
    reaction_type: column.text.orNull(),
  },
});

/**
 * What somebody says of themselves; only what is set.
 * @throws ApiError `BAD_REQUEST` when there is no such account, or the viewer does not see it
 */
export async function readStatus(
  sql: Sql,
  viewer: Account,
  userId: number,
): Promise<Partial<UserStatus>> {
  const [[row], sight] = await Promise.all([
    sql.rows(ofAccount, [viewer.realmId, userId]),
    loadSight(sql, viewer),
  ]);
  if (!row || !sight.sees(row)) throw errors.badRequest("There is no such user");
  const { id: _id, isBot: _isBot, ...status } = row;
  return isThere(status) ? setFields(status) : {};
}

function isThere(row: { status_text: string | null }): row is UserStatus {
  return row.status_text !== null;
}

const ofRealm = statement({
  name: "statuses-of-realm",
  text: `SELECT s.user_id AS id, u.is_bot AS "isBot", ${statusColumns} FROM user_status s JOIN users u ON u.id = s.user_id
    WHERE s.realm_id = $1 AND (s.status_text <> '' OR s.emoji_name <> '')`,
  row: { id: column.int, isBot: column.bool, ...statusRow },
});

/**
 * What everybody whom the viewer sees says of themselves, by account id; those who say nothing are left out. An account
 * that is deactivated is not: no event tells of it when they come back.
 */
export async function listStatuses(
  sql: Sql,
  viewer: Account,
): Promise<Record<string, Partial<UserStatus>>> {
  const [rows, sight] = await Promise.all([
    sql.rows(ofRealm, [viewer.realmId]),
    loadSight(sql, viewer),
  ]);
  return Object.fromEntries(
    rows.filter(sight.sees).map(({ id, isBot: _isBot, ...status }) => [id, setFields(status)]),
  );
}
