import {
  namedOrganizationSettings,
  type OrganizationSetting,
  type OrganizationSettingName,
  type OrganizationSettings,
} from "@carillon/contract";
import { type Sql, statement, type Tx } from "@carillon/db";

const columnOf = (name: OrganizationSettingName, { column }: OrganizationSetting) => column ?? name;

const columns = namedOrganizationSettings.map(([name, setting]) => columnOf(name, setting));

/** SQL: the column as the setting's value. */
function valueSql(name: OrganizationSettingName, setting: OrganizationSetting): string {
  const { nullColumn = null } = setting;
  const column = columnOf(name, setting);
  return nullColumn === null
    ? `${column} AS ${name}`
    : `coalesce(${column}, ${nullColumn}) AS ${name}`;
}

const byRealm = statement({
  name: "organization-settings",
  text: `SELECT ${namedOrganizationSettings.map(([name, setting]) => valueSql(name, setting)).join(", ")}
    FROM realms WHERE id = $1`,
});

/**
 * Loads the settings of an organization by their names on the wire.
 * @throws Error if there is no such organization: ids of organizations come from accounts, never from requests
 */
export async function loadOrganizationSettings(
  sql: Sql,
  realmId: number,
): Promise<OrganizationSettings> {
  const [row] = await sql.rows(byRealm, [realmId]);
  if (!row) throw new Error(`there is no organization ${realmId}`);
  return row as OrganizationSettings;
}

/** Columns that the JSON object does not name keep their values. */
const store = statement({
  name: "organization-settings-store",
  text: `UPDATE realms SET (${columns.join(", ")}) =
      (SELECT ${columns.map((column) => `changed.${column}`).join(", ")}
        FROM jsonb_populate_record(realms, $2::jsonb) changed)
    WHERE id = $1`,
});

/** Stores settings of an organization by their names on the wire; others keep their values. */
export async function storeOrganizationSettings(
  tx: Tx,
  realmId: number,
  changed: Partial<OrganizationSettings>,
): Promise<void> {
  const values = namedOrganizationSettings.flatMap(([name, setting]) => {
    const value = changed[name];
    if (value === undefined) return [];
    return [[columnOf(name, setting), value === setting.nullColumn ? null : value]];
  });
  await tx.rows(store, [realmId, JSON.stringify(Object.fromEntries(values))]);
}
