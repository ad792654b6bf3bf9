import type { Sql } from "@carillon/db";

/** Somebody whom an account does not want to hear from. */
export interface MutedUser {
  readonly id: number;
  /** UNIX seconds: since when. */
  readonly timestamp: number;
}

/** Everybody whom the account has muted, the first one first. */
export function listMutedUsers(sql: Sql, userId: number): Promise<MutedUser[]> {
  return sql.rows<MutedUser>(
    `SELECT muted_user_id AS id, floor(extract(epoch FROM date_muted))::bigint AS timestamp
     FROM muted_users WHERE user_id = $1 ORDER BY date_muted, muted_user_id`,
    [userId],
  );
}
