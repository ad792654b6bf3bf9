import { hash } from "node:crypto";

import type { Account } from "./account.ts";
import { rolesSeeingAddress, type Viewer } from "./addresses.ts";

type Pictured = Pick<
  Account,
  | "id"
  | "realmId"
  | "deliveryEmail"
  | "avatarSource"
  | "avatarVersion"
  | "avatarFile"
  | "emailAddressVisibility"
  | "isBot"
>;

/**
 * Where the picture of an account comes from. `generated`: from Gravatar, or from Carillon's own generator for viewers
 * who cannot see the e-mail address.
 */
export const avatarSources = { generated: "G", uploaded: "U" } as const;

/**
 * The data from which the URL of an account's picture is made. The URL depends on the viewer (users.md §2): Gravatar's
 * contains a hash of the e-mail address and would reveal it. So the event log stores this instead of one URL for all
 * receivers.
 */
export interface Picture {
  readonly user_id: number;
  readonly version: number;
  /** MD5 of the delivery address; only for viewers who can see the address. */
  readonly hash: string;
  /** The roles that can see the address; the account itself always can. */
  readonly shown_to: readonly number[];
  /** An uploaded picture: its path below `/user_avatars/`, without the extension. Everyone who sees the account gets it. */
  readonly file?: string | undefined;
}

/** Returns the data from which the URL of the account's picture is made. */
export function pictureOf(account: Pictured): Picture {
  const picture = { user_id: account.id, version: account.avatarVersion };
  if (account.avatarSource === avatarSources.uploaded && account.avatarFile !== null)
    return { ...picture, hash: "", shown_to: [], file: `${account.realmId}/${account.avatarFile}` };
  return {
    ...picture,
    hash: hash("md5", account.deliveryEmail.toLowerCase(), "hex"),
    shown_to: rolesSeeingAddress(account),
  };
}

/** Whether the viewer gets the picture itself: it was uploaded, or the viewer can see the e-mail address. */
export function showsPicture(picture: Picture, viewer: Viewer): boolean {
  return (
    picture.file !== undefined ||
    viewer.id === picture.user_id ||
    picture.shown_to.includes(viewer.role)
  );
}

/**
 * Returns the URL of the account's picture for the viewer: the uploaded one, Gravatar's, or that of a generated picture,
 * which reveals nothing.
 * @param siteUrl `PUBLIC_URL`
 */
export function pictureUrl(siteUrl: string, picture: Picture, viewer: Viewer): string {
  return showsPicture(picture, viewer)
    ? ownPictureUrl(siteUrl, picture)
    : `${siteUrl}/avatar/${picture.user_id}?version=${picture.version}`;
}

/** Returns the URL of the picture for viewers that get it: the uploaded one, or Gravatar's. */
export function ownPictureUrl(
  siteUrl: string,
  { file, hash, version }: Pick<Picture, "file" | "hash" | "version">,
): string {
  return file === undefined
    ? `https://secure.gravatar.com/avatar/${hash}?d=identicon&version=${version}`
    : uploadedUrl(siteUrl, file);
}

/**
 * Returns the URL of an uploaded avatar, icon or logo (files.md §6).
 * @param file its path below `/user_avatars/`, without the extension
 */
export function uploadedUrl(siteUrl: string, file: string): string {
  return `${siteUrl}/user_avatars/${file}.png`;
}

/** Returns the URL of the picture with a width of 500 pixels. */
export function mediumUrl(url: string): string {
  return url.endsWith(".png") ? `${url.slice(0, -".png".length)}-medium.png` : `${url}&s=500`;
}

/** Whether clients may compute the Gravatar URL themselves, because the e-mail address is public. */
export function hasPublicGravatar(account: Pictured): boolean {
  return account.avatarSource === avatarSources.generated && account.emailAddressVisibility === 1;
}
