import { column, statement, type RowOf, type Sql } from "@carillon/db";

const row = { fragment: column.text, is_pinned: column.bool, name: column.text.orNull() };

const ofAccount = statement({
  name: "navigation-views",
  text: "SELECT fragment, is_pinned, name FROM navigation_views WHERE user_id = $1 ORDER BY id",
  row,
});

/** What the account has said of views of its navigation, the first one first. */
export function listNavigationViews(sql: Sql, userId: number): Promise<Array<RowOf<typeof row>>> {
  return sql.rows(ofAccount, [userId]);
}
