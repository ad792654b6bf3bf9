import { column, statement, type Sql } from "@carillon/db";

const groupNames = statement({
  name: "pushed-group-names",
  text: `SELECT id, CASE WHEN is_system_group THEN description ELSE name END AS name
    FROM named_user_group WHERE realm_id = $1 AND id = ANY($2::int[])`,
  row: { id: column.int, name: column.text },
});

/** What the groups are called where they are mentioned, by id. */
export async function loadGroupNames(
  sql: Sql,
  realmId: number,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (groupIds.length === 0) return new Map();
  const rows = await sql.rows(groupNames, [realmId, groupIds]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
