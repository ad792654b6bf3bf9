import { type ChannelFolderObject, errors } from "@carillon/contract";
import { type Sql, statement } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";

import { checkVisible } from "../users/full-name.ts";
import { isPrintable } from "./names.ts";

// `date_created`: UNIX time in seconds.
const columns = `id, name, description, rendered_description, "order", creator_id,
  floor(extract(epoch FROM date_created))::float8 AS date_created, is_archived`;

const listed = statement({
  name: "channel-folders",
  text: `SELECT ${columns} FROM channel_folders WHERE realm_id = $1 AND ($2 OR NOT is_archived)
    ORDER BY "order", id`,
});

/** Lists the organization's folders in order, in the wire format (channels.md §6). */
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
});

/** Loads the organization's folder with this id, archived or not. */
export async function loadChannelFolder(
  sql: Sql,
  realmId: number,
  folderId: number,
): Promise<ChannelFolderObject | undefined> {
  return (await sql.rows(byId, [realmId, folderId]))[0];
}

/** Maximum code points of a folder's name (`max_channel_folder_name_length`). */
export const maxFolderNameLength = 60;
/** Maximum code points of a folder's description (`max_channel_folder_description_length`). */
export const maxFolderDescriptionLength = 1024;

/**
 * Trims and checks the name of a folder (channels.md §6).
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
 * Checks the description of a folder, which is stored as sent.
 * @throws ApiError `BAD_REQUEST` if it is too long
 */
export function checkFolderDescription(text: string): string {
  if (isLongerThan(text, maxFolderDescriptionLength))
    throw errors.badRequest(
      `description must not have more than ${maxFolderDescriptionLength} characters`,
    );
  return text;
}

/** Compares ignoring case, like the unique index. */
const named = statement({
  name: "channel-folder-by-name",
  text: "SELECT FROM channel_folders WHERE realm_id = $1 AND lower(name) = lower($2) AND id <> $3",
});

/**
 * Checks that no other folder has the name, ignoring case; archived ones count. The caller must have locked the
 * organization, so that the name stays free.
 * @param ownId the folder that will have the name; none if undefined
 * @throws ApiError `BAD_REQUEST`
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
