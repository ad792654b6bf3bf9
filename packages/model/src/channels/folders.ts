import { column, statement, type RowOf, type Sql } from "@carillon/db";

/** Code points that a folder's name may have (`max_channel_folder_name_length`). */
export const maxFolderNameLength = 60;
/** Code points that a folder's description may have (`max_channel_folder_description_length`). */
export const maxFolderDescriptionLength = 1024;

const listed = statement({
  name: "channel-folders",
  text: `SELECT id, name, description, rendered_description, "order", creator_id,
      floor(extract(epoch FROM date_created))::float8 AS date_created, is_archived
    FROM channel_folders WHERE realm_id = $1 AND ($2 OR NOT is_archived)
    ORDER BY "order", id`,
  row: {
    id: column.int,
    name: column.text,
    description: column.text,
    rendered_description: column.text,
    order: column.int,
    creator_id: column.int.orNull(),
    /** UNIX time in seconds. */
    date_created: column.float.orNull(),
    is_archived: column.bool,
  },
});

/** A folder of channels as clients see it (channels.md §6). */
export type ChannelFolderObject = RowOf<typeof listed.columns>;

/** The organization's folders in their order. */
export function listChannelFolders(
  sql: Sql,
  realmId: number,
  options: { readonly archived: boolean },
): Promise<ChannelFolderObject[]> {
  return sql.rows(listed, [realmId, options.archived]);
}
