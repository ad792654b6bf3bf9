import { type RowOf, type Sql, statement } from "@carillon/db";

/** Maximum number of listed organizations: those with the most bytes. */
const maxRows = 100;

const largest = statement({
  name: "dashboard-storage-by-organization",
  text: `SELECT r.id AS "realmId", r.name AS "realmName", r.subdomain, s.bytes_used AS bytes, counted.files
    FROM realm_storage s JOIN realms r ON r.id = s.realm_id
    CROSS JOIN LATERAL (SELECT count(*) AS files FROM attachments a WHERE a.realm_id = s.realm_id) counted
    WHERE s.realm_id = ANY(ARRAY(
      SELECT realm_id FROM realm_storage WHERE bytes_used > 0 ORDER BY bytes_used DESC, realm_id LIMIT ${maxRows}))
    ORDER BY s.bytes_used DESC, r.id`,
});

/** The uploaded files of one organization. */
export type OrganizationStorage = RowOf<typeof largest>;

/** Lists the organizations whose uploaded files take most bytes, largest first. Counts their files one by one. */
export function listStorage(sql: Sql): Promise<OrganizationStorage[]> {
  return sql.rows(largest);
}
