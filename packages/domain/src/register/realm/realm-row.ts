import type { Sql } from "@carillon/db";

/** What clients are told of an organization, and no rule asks. */
export interface RealmRow {
  /** UNIX time in seconds. */
  readonly dateCreated: number;
  readonly nameChangesDisabled: boolean;
  readonly emailChangesDisabled: boolean;
  /** null = for ever */
  readonly messageRetentionDays: number | null;
}

const byId = {
  name: "realm-snapshot",
  text: `SELECT floor(extract(epoch FROM date_created))::float8 AS "dateCreated",
      name_changes_disabled AS "nameChangesDisabled", email_changes_disabled AS "emailChangesDisabled",
      message_retention_days AS "messageRetentionDays"
    FROM realms WHERE id = $1`,
};

/** @throws Error when there is none: ids of organizations come from accounts, never from requests */
export async function loadRealmRow(sql: Sql, realmId: number): Promise<RealmRow> {
  const [row] = await sql.rows<RealmRow>(byId, [realmId]);
  if (!row) throw new Error(`there is no organization ${realmId}`);
  return row;
}
