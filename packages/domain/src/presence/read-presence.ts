import { type Account, findAccount } from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import {
  legacyState,
  offlineThreshold,
  presenceColumns,
  presenceIsShown,
  presenceRow,
} from "./presence.ts";

const ofAccount = statement({
  name: "presence-of-account",
  text: `SELECT ${presenceColumns}, extract(epoch FROM now())::float8 AS now
    FROM user_presence p JOIN users u ON u.id = p.user_id
    WHERE p.realm_id = $1 AND p.user_id = $2 AND ${presenceIsShown}`,
  row: { ...presenceRow, now: column.float },
});

/**
 * When somebody was last there, in the legacy form (clients.md §4).
 * @param named their ID or e-mail address
 * @throws ApiError `BAD_REQUEST` for who is unknown, deactivated or a bot, and where nothing is known or shown
 */
export async function readPresence(sql: Sql, viewer: Account, named: string) {
  const account = await findAccount(sql, viewer, named);
  if (!account?.isActive) throw errors.badRequest("There is no such active user");
  if (account.isBot) throw errors.badRequest("Bots have no presence");
  const [row] = await sql.rows(ofAccount, [viewer.realmId, account.id]);
  if (!row) throw errors.badRequest("Nothing is known of this user's presence");
  const state = legacyState(row);
  const offline = row.now - state.timestamp > offlineThreshold;
  return {
    aggregated: offline ? { ...state, status: "offline" as const } : state,
    website: state,
  };
}
