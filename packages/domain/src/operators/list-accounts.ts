import type { Realm } from "@carillon/model";
import { column, statement, type RowOf, type Sql } from "@carillon/db";

const page = 1_000;

const next = statement({
  name: "operator-accounts",
  text: `SELECT u.id, u.delivery_email AS email, u.full_name AS name, u.role, u.is_active AS active, u.is_bot AS bot,
      o.delivery_email AS owner, extract(epoch FROM u.date_joined)::float8 AS joined
    FROM users u LEFT JOIN users o ON o.id = u.bot_owner_id
    WHERE u.realm_id = $1 AND u.system_bot_kind IS NULL AND u.id > $2 ORDER BY u.id LIMIT ${page}`,
  row: {
    id: column.int,
    email: column.text,
    name: column.text,
    role: column.int,
    active: column.bool,
    bot: column.bool,
    owner: column.text.orNull(),
    joined: column.float,
  },
});

/** An account as an operator sees it; `owner` is the address of a bot's owner, `joined` in UNIX seconds. */
export type ListedAccount = RowOf<typeof next.columns>;

/** The accounts of an organization, deactivated ones and bots too, by id, in pages. */
export async function* listAccounts(
  sql: Sql,
  { id }: Realm,
): AsyncGenerator<readonly ListedAccount[]> {
  let after = 0;
  for (;;) {
    const rows = await sql.rows(next, [id, after]);
    if (rows.length > 0) yield rows;
    if (rows.length < page) return;
    after = rows.at(-1)?.id ?? after;
  }
}
