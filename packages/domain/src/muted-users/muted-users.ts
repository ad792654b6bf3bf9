import { column, statement, type RowOf, type Sql } from "@carillon/db";

const row = {
  id: column.int,
  /** UNIX seconds: since when. */
  timestamp: column.bigint,
};

/** Somebody whom an account does not want to hear from. */
export type MutedUser = RowOf<typeof row>;

const muted = statement({
  name: "muted-users",
  text: `SELECT muted_user_id AS id, floor(extract(epoch FROM date_muted))::bigint AS timestamp
    FROM muted_users WHERE user_id = $1 ORDER BY date_muted, muted_user_id`,
  row,
});

/** Everybody whom the account has muted, the first one first. */
export function listMutedUsers(sql: Sql, userId: number): Promise<MutedUser[]> {
  return sql.rows(muted, [userId]);
}
