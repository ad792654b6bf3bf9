import { errors, type UserObject } from "@carillon/contract";
import { type Sql, statement, typed } from "@carillon/db";
import {
  type Account,
  accountColumns,
  type AccountFilter,
  accountOverrides,
  accountSlices,
  findAccount,
  loadAccounts,
  loadUserVisibility,
  mediumUrl,
  ownPictureUrl,
  pictureOf,
  presentUser,
  type ProfileData,
  type Site,
  profileDataSql,
  showsPicture,
  userObject,
} from "@carillon/model";

interface ReadUserOptions {
  /** `PUBLIC_URL` */
  readonly siteUrl: string;
  readonly clientGravatar: boolean;
  /** Whether to include custom profile fields. */
  readonly profileFields: boolean;
}

const byId = statement({
  name: "account-of-realm",
  text: `SELECT ${accountColumns}, ${profileDataSql("u.id")} AS "profileData"
    FROM users u WHERE u.realm_id = $1 AND u.id = $2`,
  overrides: { ...accountOverrides, profileData: typed<ProfileData>() },
});

/**
 * Returns one account of the organization in the wire format for the viewer; it may be deactivated or a bot.
 * @throws ApiError `BAD_REQUEST` if the viewer cannot see it
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
 * Returns one account by an e-mail address that the viewer may see.
 * @throws ApiError `BAD_REQUEST` if there is none
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
  /** Makes the placeholder for an account that the viewer cannot see; if undefined, such accounts are left out. */
  readonly standIn?: ((userId: number) => UserObject) | undefined;
}

/** Lists the accounts of the organization without system bots; only those with the ids, if given. */
export function listUsers(
  sql: Sql,
  viewer: Account,
  userIds: readonly number[] | undefined,
  options: ReadUserOptions & UnknownOptions,
): Promise<UserObject[]> {
  return presentAll(sql, viewer, { ids: userIds, systemBots: false }, options);
}

/** Lists the system bots. */
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

export interface OwnUser extends UserObject {
  avatar_url: string;
  /** −1 if the account has no message. */
  max_message_id: number;
}

const ownMore = statement({
  name: "own-profile-and-newest",
  text: `SELECT (SELECT max(message_id) FROM user_messages WHERE user_id = $1) AS newest,
      ${profileDataSql("$1")} AS "profileData"`,
  overrides: { profileData: typed<ProfileData>() },
});

/** Returns the viewer's own account with all its fields. */
export async function readOwnUser(
  sql: Sql,
  site: Pick<Site, "url">,
  viewer: Account,
): Promise<OwnUser> {
  const [row] = await sql.rows(ownMore, [viewer.id]);
  return {
    ...userObject(viewer, true, row?.profileData ?? {}),
    avatar_url: ownPictureUrl(site.url, pictureOf(viewer)),
    max_message_id: row?.newest ?? -1,
  };
}

/** The URL of a picture, or the picture as PNG. */
type Avatar = { readonly url: string } | { readonly png: Buffer };

/** The largest size, in pixels, for which the small version of an uploaded picture is returned. */
const smallSize = 100;

/**
 * Returns the picture of an account for the viewer: the URL of the uploaded picture or at Gravatar, or a picture generated
 * from the account's id, which reveals nothing of its e-mail address. The account may be deactivated, a bot or a system bot.
 * @param size wanted width and height, in pixels
 * @throws ApiError 404 if the organization has no such account; a viewer with restricted visibility gets a picture for
 * any id
 */
export async function readAvatar(
  sql: Sql,
  site: Pick<Site, "url">,
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
  if (picture && showsPicture(picture, viewer)) {
    const url = ownPictureUrl(site.url, picture);
    return { url: picture.file !== undefined && size > smallSize ? mediumUrl(url) : url };
  }
  const { toPng } = await import("jdenticon");
  return { png: toPng(`${viewer.realmId}/${userId}`, size) };
}
