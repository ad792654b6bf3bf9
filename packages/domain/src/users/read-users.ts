import {
  type Account,
  type AccountFilter,
  accountColumns,
  accountSlices,
  gravatarUrl,
  pictureOf,
  presentUser,
  userObject,
  accountRow,
} from "@carillon/model";
import { errors, type UserObject } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

export interface ReadUserOptions {
  /** `PUBLIC_URL` */
  readonly siteUrl: string;
  readonly clientGravatar: boolean;
  /** Whether to tell people's custom profile fields; there are none yet. */
  readonly profileFields: boolean;
}

const byId = statement({
  name: "account-of-realm",
  text: `SELECT ${accountColumns} FROM users u WHERE u.realm_id = $1 AND u.id = $2`,
  row: accountRow,
});

/**
 * One account of the organization as the viewer sees it, deactivated ones and bots included.
 * @throws ApiError `BAD_REQUEST` when there is none
 */
export async function readUser(
  sql: Sql,
  viewer: Account,
  userId: number,
  options: ReadUserOptions,
): Promise<UserObject> {
  const [account] = await sql.rows(byId, [viewer.realmId, userId]);
  if (!account) throw errors.badRequest("There is no such user");
  return presentUser(viewer, account, presentation(options));
}

/** The accounts of the organization, its own bots left out; only those with the ids where given. */
export function listUsers(
  sql: Sql,
  viewer: Account,
  userIds: readonly number[] | undefined,
  options: ReadUserOptions,
): Promise<UserObject[]> {
  return presentAll(sql, viewer, { ids: userIds, systemBots: false }, options);
}

/** The organization's own bots. */
export function listSystemBots(
  sql: Sql,
  viewer: Account,
  options: ReadUserOptions,
): Promise<UserObject[]> {
  return presentAll(sql, viewer, { systemBots: true }, options);
}

async function presentAll(
  sql: Sql,
  viewer: Account,
  filter: AccountFilter,
  options: ReadUserOptions,
): Promise<UserObject[]> {
  const shown = presentation(options);
  const users: UserObject[] = [];
  for await (const accounts of accountSlices(sql, viewer.realmId, filter))
    users.push(...accounts.map((account) => presentUser(viewer, account, shown)));
  return users;
}

function presentation({ siteUrl, clientGravatar, profileFields }: ReadUserOptions) {
  return { siteUrl, clientGravatar, ...(profileFields ? { profileData: {} } : {}) };
}

export interface OwnUser extends UserObject {
  avatar_url: string;
  /** −1 when the account has no message. */
  max_message_id: number;
}

const newestOwn = statement({
  name: "max-message-id",
  text: "SELECT max(message_id) AS id FROM user_messages WHERE user_id = $1",
  row: { id: column.bigint.orNull() },
});

/** The viewer's own account, with everything. */
export async function readOwnUser(sql: Sql, viewer: Account): Promise<OwnUser> {
  const [row] = await sql.rows(newestOwn, [viewer.id]);
  return {
    ...userObject(viewer, true, {}),
    avatar_url: gravatarUrl(pictureOf(viewer)),
    max_message_id: row?.id ?? -1,
  };
}
