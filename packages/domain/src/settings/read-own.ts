import { type Account, loadOwnSettings, loadRealm } from "@carillon/model";
import type { Sql } from "@carillon/db";

/** Every setting of the account, by its wire name. */
export async function readOwnSettings(sql: Sql, actor: Account): Promise<Record<string, unknown>> {
  return loadOwnSettings(sql, await loadRealm(sql, actor.realmId), actor.id);
}
