import type { Sql } from "@carillon/db";

import { loadRealm } from "../realms/realm.ts";
import type { Account } from "../users/account.ts";
import { loadOwnSettings } from "./own-settings.ts";

/** Every setting of the account, by its wire name. */
export async function readOwnSettings(sql: Sql, actor: Account): Promise<Record<string, unknown>> {
  return loadOwnSettings(sql, await loadRealm(sql, actor.realmId), actor.id);
}
