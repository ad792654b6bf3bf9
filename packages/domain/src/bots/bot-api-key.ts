import {
  type Account,
  type Site,
  accountColumns,
  currentActor,
  lockAccount,
  accountRow,
} from "@carillon/model";
import { column, statement, type Sql, type Tx } from "@carillon/db";

import { changeApiKey } from "../users/change-api-key.ts";
import { checkAdministersBot } from "./administer-bot.ts";

const byId = statement({
  name: "bot-with-api-key",
  text: `SELECT ${accountColumns}, u.api_key_sealed AS "apiKeySealed" FROM users u
    WHERE u.realm_id = $1 AND u.id = $2 AND u.system_bot_kind IS NULL`,
  row: { ...accountRow, apiKeySealed: column.bytes },
});

/**
 * The key of a bot, for its owner and administrators (users.md §5); of a deactivated one too, which it works for again
 * once the bot is back.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function botApiKey(
  sql: Sql,
  site: Site,
  actor: Account,
  botId: number,
): Promise<string> {
  const [row] = await sql.rows(byId, [actor.realmId, botId]);
  checkAdministersBot(actor, row);
  return site.secrets.open(row.apiKeySealed);
}

/**
 * Gives a bot another key, for its owner and administrators: the old one is refused from the commit on.
 * @returns the new key
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function changeBotApiKey(
  tx: Tx,
  site: Site,
  actor: Account,
  botId: number,
): Promise<string> {
  const [bot, now] = await Promise.all([
    lockAccount(tx, actor.realmId, botId),
    currentActor(tx, actor),
  ]);
  checkAdministersBot(now, bot);
  return changeApiKey(tx, site, actor.id, bot);
}
