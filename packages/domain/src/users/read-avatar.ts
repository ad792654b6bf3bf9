import {
  type Account,
  gravatarUrl,
  loadAccounts,
  loadSight,
  pictureOf,
  showsGravatar,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";

/** Where a picture is, or the picture itself, as PNG. */
export type Avatar = { readonly url: string } | { readonly png: Buffer };

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
  const [accounts, sight] = await Promise.all([
    loadAccounts(sql, viewer.realmId, [userId]),
    loadSight(sql, viewer),
  ]);
  const account = accounts.get(userId);
  if (!account && !sight.isRestricted) throw errors.notFound404("There is no such user");
  const picture = account && sight.sees(account) ? pictureOf(account) : undefined;
  if (picture && showsGravatar(picture, viewer)) return { url: gravatarUrl(picture) };
  const { toPng } = await import("jdenticon");
  return { png: toPng(`${viewer.realmId}/${userId}`, size) };
}
