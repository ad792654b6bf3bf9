import { column, statement, type RowOf, type Sql } from "@carillon/db";

const byId = statement({
  name: "realm-snapshot",
  text: `SELECT floor(extract(epoch FROM date_created))::float8 AS "dateCreated",
      name_changes_disabled AS "nameChangesDisabled", email_changes_disabled AS "emailChangesDisabled",
      message_retention_days AS "messageRetentionDays",
      floor(extract(epoch FROM push_notifications_enabled_end_timestamp))::float8 AS "pushEndsAt"
    FROM realms WHERE id = $1`,
  row: {
    /** UNIX time in seconds. */
    dateCreated: column.float,
    nameChangesDisabled: column.bool,
    emailChangesDisabled: column.bool,
    /** null = for ever */
    messageRetentionDays: column.int.orNull(),
    /** When the push bouncer will no longer push for it, in UNIX seconds; null where no end is known. */
    pushEndsAt: column.float.orNull(),
  },
});

/** What clients are told of an organization, and no rule asks. */
export type RealmRow = RowOf<typeof byId.columns>;

/** @throws Error when there is none: ids of organizations come from accounts, never from requests */
export async function loadRealmRow(sql: Sql, realmId: number): Promise<RealmRow> {
  const [row] = await sql.rows(byId, [realmId]);
  if (!row) throw new Error(`there is no organization ${realmId}`);
  return row;
}
