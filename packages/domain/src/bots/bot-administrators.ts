import { type Account, hasPowerOfOwners } from "@carillon/model";
import { roles } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

const administrators = statement({
  name: "bot-administrators",
  text: `SELECT id FROM users
    WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL AND (role <= ${roles.administrator} OR id = $2)
      AND (role = ${roles.owner} OR NOT $3)
    ORDER BY id`,
  row: { id: column.int },
});

/** Who may administer the bot: its owner and the administrators; of one with the power of owners the owners alone. */
export async function botAdministrators(
  sql: Sql,
  bot: Pick<Account, "realmId" | "botOwnerId" | "canCreateUsers" | "role">,
): Promise<number[]> {
  const rows = await sql.rows(administrators, [bot.realmId, bot.botOwnerId, hasPowerOfOwners(bot)]);
  return rows.map(({ id }) => id);
}
