import { errors, type UserObject } from "@carillon/contract";
import { column, type Sql, statement } from "@carillon/db";
import {
  type Account,
  accountColumns,
  type AccountFilter,
  accountRow,
  accountSlices,
  findAccount,
  gravatarUrl,
  loadAccounts,
  loadUserVisibility,
  pictureOf,
  presentUser,
  type ProfileData,
  profileDataSql,
  showsGravatar,
  userObject,
} from "@carillon/model";

interface ReadUserOptions {
  /** `PUBLIC_URL` */
  readonly siteUrl: string;
  readonly clientGravatar: boolean;
  /** Whether to tell what people say in custom profile fields. */
  readonly profileFields: boolean;
}

const byId = statement({
  name: "account-of-realm",
  text: `SELECT ${accountColumns}, ${profileDataSql("u.id")} AS "profileData"
    FROM users u WHERE u.realm_id = $1 AND u.id = $2`,
  row: { ...accountRow, profileData: column.json<ProfileData>().orNull() },
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
  const [[account], userVisibility] = await Promise.all([
    sql.rows(byId, [viewer.realmId, userId]),
    loadUserVisibility(sql, viewer),
  ]);
  if (!account || !userVisibility.sees(account)) throw errors.badRequest("There is no such user");
  return present(viewer, account, options);
}

/**
 * The same, by an e-mail address that the viewer knows the account by.
 * @throws ApiError `BAD_REQUEST` when there is none
 */
export async function readUserByEmail(
  sql: Sql,
  viewer: Account,
  email: string,
  options: ReadUserOptions,
): Promise<UserObject> {
  const account = await findAccount(sql, viewer, email);
  if (!account) throw errors.badRequest("There is no such user");
  return readUser(sql, viewer, account.id, options);
}

interface UnknownOptions {
  /** What stands in for whom the viewer does not see; they are left out unless given. */
  readonly standIn?: ((userId: number) => UserObject) | undefined;
}

/** The accounts of the organization, its own bots left out; only those with the ids where given. */
export function listUsers(
  sql: Sql,
  viewer: Account,
  userIds: readonly number[] | undefined,
  options: ReadUserOptions & UnknownOptions,
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
  filter: Omit<AccountFilter, "profileData">,
  options: ReadUserOptions & UnknownOptions,
): Promise<UserObject[]> {
  const userVisibility = await loadUserVisibility(sql, viewer);
  const users: UserObject[] = [];
  for await (const accounts of accountSlices(sql, viewer.realmId, {
    ...filter,
    profileData: options.profileFields,
  }))
    for (const account of accounts) {
      const user = userVisibility.sees(account)
        ? present(viewer, account, options)
        : options.standIn?.(account.id);
      if (user) users.push(user);
    }
  return users;
}

function present(
  viewer: Account,
  account: Account & { readonly profileData: ProfileData | null },
  { siteUrl, clientGravatar, profileFields }: ReadUserOptions,
): UserObject {
  const profileData = profileFields ? { profileData: account.profileData ?? {} } : {};
  return presentUser(viewer, account, { siteUrl, clientGravatar, ...profileData });
}

interface OwnUser extends UserObject {
  avatar_url: string;
  /** −1 when the account has no message. */
  max_message_id: number;
}

const ownMore = statement({
  name: "own-profile-and-newest",
  text: `SELECT (SELECT max(message_id) FROM user_messages WHERE user_id = $1) AS newest,
      ${profileDataSql("$1")} AS "profileData"`,
  row: { newest: column.bigint.orNull(), profileData: column.json<ProfileData>().orNull() },
});

/** The viewer's own account, with everything. */
export async function readOwnUser(sql: Sql, viewer: Account): Promise<OwnUser> {
  const [row] = await sql.rows(ownMore, [viewer.id]);
  return {
    ...userObject(viewer, true, row?.profileData ?? {}),
    avatar_url: gravatarUrl(pictureOf(viewer)),
    max_message_id: row?.newest ?? -1,
  };
}

/** Where a picture is, or the picture itself, as PNG. */
type Avatar = { readonly url: string } | { readonly png: Buffer };

/**
 * The picture of an account as the viewer may see it, deactivated accounts, bots and the organization's own bots
 * included: gravatar's address, or one that is generated of the account's id and tells nothing of its e-mail address.
 * @param size width and height of a generated one, in pixels
 * @throws ApiError 404 when the viewer's organization has no such account; who does not see everybody gets a picture of
 * any id
 */
export async function readAvatar(
  sql: Sql,
  viewer: Account,
  userId: number,
  size: number,
): Promise<Avatar> {
  const [accounts, userVisibility] = await Promise.all([
    loadAccounts(sql, viewer.realmId, [userId]),
    loadUserVisibility(sql, viewer),
  ]);
  const account = accounts.get(userId);
  if (!account && !userVisibility.isRestricted) throw errors.notFound404("There is no such user");
  const picture = account && userVisibility.sees(account) ? pictureOf(account) : undefined;
  if (picture && showsGravatar(picture, viewer)) return { url: gravatarUrl(picture) };
  const { toPng } = await import("jdenticon");
  return { png: toPng(`${viewer.realmId}/${userId}`, size) };
}
