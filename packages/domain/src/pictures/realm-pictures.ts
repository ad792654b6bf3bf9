import { statement, type Sql, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  administerOrganization,
  loadRealm,
  type Realm,
  realmIconUrl,
  realmPictureEvent,
  realmUrl,
  recordAudit,
  type Site,
  uploadedUrl,
} from "@carillon/model";

import type { MadePicture } from "./picture-requests.ts";
import { markReplaced, newPictureName, pictureNamed, storePicture } from "./stored-pictures.ts";

/** The pictures of an organization, by the names of their events. */
export type RealmPictureName = "icon" | "logo" | "night_logo";

/** Path of the logo that an organization has before it uploads one. */
const defaultLogoPath = "/static/images/logo/carillon.svg";

/** The drawing at {@link defaultLogoPath}: a bell and the name. */
export const defaultLogo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="50" viewBox="0 0 200 50">' +
  '<path d="M25 6a3 3 0 0 1 3 3c6 2 9 7 9 14 0 8 2 11 5 13v2H8v-2c3-2 5-5 5-13 0-7 3-12 9-14a3 3 0 0 1 3-3zm-5 34h10a5 5 0 0 1-10 0z" fill="#8a5a00"/>' +
  '<text x="52" y="34" font-family="sans-serif" font-size="28" fill="#8a5a00">Carillon</text></svg>';

const ofRealm = statement({
  name: "realm-pictures",
  text: `SELECT icon_file AS icon, logo_file AS logo, night_logo_file AS night_logo FROM realms WHERE id = $1`,
});

/** The files of an organization's uploaded pictures, without extensions; null for default pictures. */
export type RealmPictures = Readonly<Record<RealmPictureName, string | null>>;

/** Loads the files of an organization's uploaded pictures. */
export async function loadRealmPictures(sql: Sql, realmId: number): Promise<RealmPictures> {
  const [row] = await sql.rows(ofRealm, [realmId]);
  if (!row) throw new Error(`there is no organization ${realmId}`);
  return row;
}

/** Returns the URL of one of the organization's pictures, and the letter that says where it comes from. */
export function presentRealmPicture(
  site: Pick<Site, "url">,
  realm: Pick<Realm, "id" | "subdomain">,
  name: RealmPictureName,
  file: string | null,
): { readonly url: string; readonly source: string } {
  if (file !== null) return { url: uploadedUrl(site.url, `${realm.id}/${file}`), source: "U" };
  return name === "icon"
    ? { url: realmIconUrl(realmUrl(site, realm)), source: "G" }
    : { url: `${site.url}${defaultLogoPath}`, source: "D" };
}

/** Returns the URLs and sources of all three pictures, by the names that events use. */
export function realmPictureFields(
  site: Pick<Site, "url">,
  realm: Pick<Realm, "id" | "subdomain">,
  files: RealmPictures,
): Readonly<Record<`${RealmPictureName}_${"url" | "source"}`, string>> {
  const of = (name: RealmPictureName) => presentRealmPicture(site, realm, name, files[name]);
  const [icon, logo, night] = [of("icon"), of("logo"), of("night_logo")];
  return {
    icon_url: icon.url,
    icon_source: icon.source,
    logo_url: logo.url,
    logo_source: logo.source,
    night_logo_url: night.url,
    night_logo_source: night.source,
  };
}

/** The columns of the pictures, as Prisma Client names them. */
const columns = { icon: "iconFile", logo: "logoFile", night_logo: "nightLogoFile" } as const;

/**
 * Gives the organization an icon or a logo (files.md §6), or the default one again, and sends an event to all users. Does
 * nothing if the organization already has the default one.
 * @param pictures of the rendition `name`; undefined for the default picture
 * @returns the URL of the picture
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`
 */
export async function changeRealmPicture(
  tx: Tx,
  site: Pick<Site, "url">,
  actor: Account,
  name: RealmPictureName,
  pictures: readonly MadePicture[] | undefined,
): Promise<string> {
  const { realmId } = actor;
  await administerOrganization(tx, actor);
  const [realm, files] = await Promise.all([
    loadRealm(tx, realmId),
    loadRealmPictures(tx, realmId),
  ]);
  const before = files[name];
  if (!pictures && before === null) return presentRealmPicture(site, realm, name, null).url;
  const file = pictures ? newPictureName() : null;
  if (pictures && file !== null) {
    const rendition = pictureNamed(pictures, name === "icon" ? "icon" : "logo");
    await storePicture(tx, { realmId, file: `${file}.png` }, rendition);
  }
  const prisma = await tx.prisma();
  await prisma.realm.update({
    where: { id: realmId },
    data: { [columns[name]]: file },
    select: { id: true },
  });
  if (before !== null) await markReplaced(tx, realmId, [`${before}.png`]);
  const { url, source } = presentRealmPicture(site, realm, name, file);
  recordAudit(tx, realmId, actor.id, [{ type: `realm_${name}_changed`, data: { new: source } }]);
  emit(tx, realmId, [
    realmPictureEvent(name, { [`${name}_url`]: url, [`${name}_source`]: source }),
  ]);
  return url;
}
