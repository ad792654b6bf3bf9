import { realmUrl, type Site } from "@carillon/model";
import { column, statement, type RowOf, type Sql } from "@carillon/db";

const row = {
  uuid: column.uuid,
  subdomain: column.text,
  name: column.text,
  emptyTopicDisplayName: column.text,
};

const facts = statement({
  name: "realm-for-pushes",
  text: `SELECT uuid, subdomain, name, empty_topic_display_name AS "emptyTopicDisplayName" FROM realms WHERE id = $1`,
  row,
});

/** An organization, as far as notifications tell of it. */
export interface PushingRealm extends RowOf<typeof row> {
  readonly url: string;
}

export async function loadPushingRealm(
  sql: Sql,
  site: Pick<Site, "url">,
  realmId: number,
): Promise<PushingRealm> {
  const [realm] = await sql.rows(facts, [realmId]);
  if (!realm) throw new Error(`there is no organization ${realmId}`);
  return { ...realm, url: realmUrl(site, realm) };
}
