import { type ChannelFolderObject, errors } from "@carillon/contract";
import { column, type Sql, statement } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";

import { checkVisible } from "../users/full-name.ts";
import { isPrintable } from "./names.ts";

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

/** Code points that a folder's name may have (`max_channel_folder_name_length`). */
export const maxFolderNameLength = 60;
/** Code points that a folder's description may have (`max_channel_folder_description_length`). */
export const maxFolderDescriptionLength = 1024;

/**
 * The name as it is stored: trimmed (channels.md §6).
 * @throws ApiError `BAD_REQUEST`
 */
export function checkFolderName(text: string): string {
  const name = text.trim();
  if (name === "") throw errors.badRequest("The name of a channel folder must not be blank");
  if (isLongerThan(name, maxFolderNameLength))
    throw errors.badRequest(
      `The name of a channel folder must not have more than ${maxFolderNameLength} characters`,
    );
  if (!isPrintable(name))
    throw errors.badRequest("The name of a channel folder must have printable characters only");
  checkVisible("The name of a channel folder", name);
  return name;
}

/**
 * The description as it is stored: as it was sent.
 * @throws ApiError `BAD_REQUEST` when it is too long
 */
export function checkFolderDescription(text: string): string {
  if (isLongerThan(text, maxFolderDescriptionLength))
    throw errors.badRequest(
      `description must not have more than ${maxFolderDescriptionLength} characters`,
    );
  return text;
}

/** Without regard to case, as the unique index compares. */
const named = statement({
  name: "channel-folder-by-name",
  text: "SELECT FROM channel_folders WHERE realm_id = $1 AND lower(name) = lower($2) AND id <> $3",
  row: {},
});

/**
 * Nobody else takes the name meanwhile when the transaction holds the organization's row.
 * @param ownId of the folder that is to have the name; none unless given
 * @throws ApiError `BAD_REQUEST` when another folder, maybe an archived one, has the name, whatever its case
 */
export async function checkFolderNameIsFree(
  sql: Sql,
  realmId: number,
  name: string,
  ownId = 0,
): Promise<void> {
  const rows = await sql.rows(named, [realmId, name, ownId]);
  if (rows.length > 0) throw errors.badRequest(`There is already a channel folder named ${name}`);
}
