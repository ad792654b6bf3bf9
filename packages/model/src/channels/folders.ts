import type { ChannelFolderObject } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

const columns = `id, name, description, rendered_description, "order", creator_id,
  floor(extract(epoch FROM date_created))::float8 AS date_created, is_archived`;

const row = {
  id: column.int,
  name: column.text,
  description: column.text,
  rendered_description: column.text,
  order: column.int,
  creator_id: column.int.orNull(),
  /** UNIX time in seconds. */
  date_created: column.float.orNull(),
  is_archived: column.bool,
};

const listed = statement({
  name: "channel-folders",
  text: `SELECT ${columns} FROM channel_folders WHERE realm_id = $1 AND ($2 OR NOT is_archived)
    ORDER BY "order", id`,
  row,
});

/** The organization's folders in their order, as clients see them (channels.md §6). */
export function listChannelFolders(
  sql: Sql,
  realmId: number,
  options: { readonly archived: boolean },
): Promise<ChannelFolderObject[]> {
  return sql.rows(listed, [realmId, options.archived]);
}

const byId = statement({
  name: "channel-folder",
  text: `SELECT ${columns} FROM channel_folders WHERE realm_id = $1 AND id = $2`,
  row,
});

/** The organization's folder with this id, archived or not. */
export async function loadChannelFolder(
  sql: Sql,
  realmId: number,
  folderId: number,
): Promise<ChannelFolderObject | undefined> {
  return (await sql.rows(byId, [realmId, folderId]))[0];
}
