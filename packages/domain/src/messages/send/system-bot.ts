import { statement, type Sql } from "@carillon/db";
import { type Account, accountColumns, accountOverrides } from "@carillon/model";

const byKind = statement({
  name: "system-bot",
  text: `SELECT ${accountColumns} FROM users u WHERE u.realm_id = $1 AND u.system_bot_kind = $2`,
  overrides: accountOverrides,
});

/** Loads the organization's system bot of that kind. */
export async function systemBot(
  sql: Sql,
  realmId: number,
  kind: "notification" | "scheduling" | "welcome",
): Promise<Account> {
  const [bot] = await sql.rows(byKind, [realmId, kind]);
  if (!bot) throw new Error(`organization ${realmId} has no ${kind} bot`);
  return bot;
}
