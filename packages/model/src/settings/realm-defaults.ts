import { column, statement, type Sql } from "@carillon/db";

import { initialDefaults } from "./registry.ts";

type SettingValue = boolean | number | string;

const byRealm = statement({
  name: "realm-defaults",
  text: `SELECT settings FROM realm_user_defaults WHERE realm_id = $1`,
  row: { settings: column.json<Readonly<Record<string, SettingValue>>>() },
});

/** The settings that new accounts of the organization get a copy of, by their wire names. */
export async function loadRealmDefaults(
  sql: Sql,
  realmId: number,
): Promise<Record<string, SettingValue>> {
  const [row] = await sql.rows(byRealm, [realmId]);
  return { ...initialDefaults(), ...row?.settings };
}
