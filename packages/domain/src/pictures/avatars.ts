import { errors } from "@carillon/contract";
import { type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  avatarSources,
  isOrganizationAdministrator,
  lockAccount,
  lockAccountAudience,
  lockOrganizationShared,
  noSuchUser,
  ownPictureUrl,
  pictureOf,
  pictureUpdated,
  recordAudit,
  type Site,
} from "@carillon/model";

import type { MadePicture } from "./picture-requests.ts";
import {
  boundFormerPictures,
  newPictureName,
  pictureNamed,
  markReplaced,
  storePicture,
} from "./stored-pictures.ts";

export { deletePicturesOf } from "./stored-pictures.ts";

const disabled = statement({
  name: "avatar-changes-disabled",
  text: `SELECT avatar_changes_disabled AS disabled FROM realms WHERE id = $1`,
});

/**
 * Checks whether the account may change its avatar.
 * @throws ApiError `BAD_REQUEST` if only administrators may
 */
export async function checkAvatarChange(sql: Sql, actor: Account): Promise<void> {
  if (isOrganizationAdministrator(actor)) return;
  if ((await sql.rows(disabled, [actor.realmId]))[0]?.disabled)
    throw errors.badRequest("Only administrators of the organization can change avatars");
}

/** Returns a copy of the account without the uploaded avatar: it has the generated picture. */
export function withoutAvatar(account: Account): Account {
  const avatarVersion = account.avatarVersion + 1;
  return { ...account, avatarSource: avatarSources.generated, avatarVersion, avatarFile: null };
}

/**
 * Gives the account an uploaded avatar (files.md §6), and sends an event to accounts that see it.
 * @param pictures `avatar` and `avatar-medium`
 * @returns the URL of the avatar
 * @throws ApiError `BAD_REQUEST` if only administrators may change avatars
 */
export async function changeAvatar(
  tx: Tx,
  site: Pick<Site, "url">,
  actor: Account,
  pictures: readonly MadePicture[],
): Promise<string> {
  const account = await lockForAvatarChange(tx, actor);
  const { realmId, id: userId } = account;
  const name = newPictureName();
  const [small, medium] = filesOf(name);
  await storePicture(tx, { realmId, userId, file: small }, pictureNamed(pictures, "avatar"));
  await storePicture(
    tx,
    { realmId, userId, file: medium },
    pictureNamed(pictures, "avatar-medium"),
  );
  const changed = {
    ...account,
    avatarSource: avatarSources.uploaded,
    avatarVersion: account.avatarVersion + 1,
    avatarFile: name,
  };
  return replaceAvatar(tx, site, account, changed);
}

/**
 * Removes the account's uploaded avatar; does nothing if it has none.
 * @returns the URL of the generated picture
 * @throws ApiError `BAD_REQUEST` if only administrators may change avatars
 */
export async function removeAvatar(
  tx: Tx,
  site: Pick<Site, "url">,
  actor: Account,
): Promise<string> {
  const account = await lockForAvatarChange(tx, actor);
  return account.avatarSource === avatarSources.generated
    ? ownPictureUrl(site.url, pictureOf(account))
    : replaceAvatar(tx, site, account, withoutAvatar(account));
}

/** Locks the account, and checks whether it may change its avatar. */
async function lockForAvatarChange(tx: Tx, actor: Account): Promise<Account> {
  const account = await lockAccount(tx, actor.realmId, actor.id);
  if (!account) throw noSuchUser();
  if (!account.isActive) throw errors.unauthorized();
  await lockOrganizationShared(tx, actor.realmId);
  await checkAvatarChange(tx, account);
  return account;
}

/** Returns the files of an avatar's two sizes. */
function filesOf(name: string): readonly [small: string, medium: string] {
  return [`${name}.png`, `${name}-medium.png`];
}

async function replaceAvatar(
  tx: Tx,
  site: Pick<Site, "url">,
  before: Account,
  after: Account,
): Promise<string> {
  const { id, realmId, avatarSource, avatarVersion, avatarFile } = after;
  const audience = await lockAccountAudience(tx, before);
  const prisma = await tx.prisma();
  await prisma.user.update({
    where: { id },
    data: { avatarSource, avatarVersion, avatarFile },
    select: { id: true },
  });
  if (before.avatarFile !== null) {
    await markReplaced(tx, realmId, filesOf(before.avatarFile));
    await boundFormerPictures(tx, id);
  }
  recordAudit(tx, realmId, id, [
    {
      type: "user_avatar_changed",
      userId: id,
      data: { old: before.avatarSource, new: avatarSource },
    },
  ]);
  emit(tx, realmId, [pictureUpdated(after, audience)]);
  return ownPictureUrl(site.url, pictureOf(after));
}
