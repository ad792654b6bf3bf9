import type { Sql } from "@carillon/db";

import { initialDefaults } from "./registry.ts";

/** The settings that new accounts of the organization get a copy of, by their wire names. */
export async function loadRealmDefaults(
  sql: Sql,
  realmId: number,
): Promise<Record<string, unknown>> {
  const [row] = await sql.rows<{ settings: Record<string, unknown> }>(
    "SELECT settings FROM realm_user_defaults WHERE realm_id = $1",
    [realmId],
  );
  return { ...initialDefaults(), ...row?.settings };
}
