import { hash } from "node:crypto";

import type { Account } from "./account.ts";
import { rolesSeeingAddress, type Viewer } from "./addresses.ts";

type Pictured = Pick<
  Account,
  "id" | "deliveryEmail" | "avatarSource" | "avatarVersion" | "emailAddressVisibility" | "isBot"
>;

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
}

export function pictureOf(account: Pictured): Picture {
  return {
    user_id: account.id,
    version: account.avatarVersion,
    hash: hash("md5", account.deliveryEmail.toLowerCase(), "hex"),
    shown_to: rolesSeeingAddress(account),
  };
}

/** Whether the viewer may get the Gravatar URL, because it can see the e-mail address. */
export function showsGravatar(picture: Picture, viewer: Viewer): boolean {
  return viewer.id === picture.user_id || picture.shown_to.includes(viewer.role);
}

/**
 * Returns the URL of the account's picture for the viewer: Gravatar's, or the server's own, which reveals nothing.
 * @param siteUrl `PUBLIC_URL`
 */
export function pictureUrl(siteUrl: string, picture: Picture, viewer: Viewer): string {
  return showsGravatar(picture, viewer)
    ? gravatarUrl(picture)
    : `${siteUrl}/avatar/${picture.user_id}?version=${picture.version}`;
}

export function gravatarUrl({ hash, version }: Pick<Picture, "hash" | "version">): string {
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon&version=${version}`;
}

/** Returns the URL of the picture with a width of 500 pixels. */
export function mediumUrl(url: string): string {
  return `${url}&s=500`;
}

/** Whether clients may compute the Gravatar URL themselves, because the e-mail address is public. */
export function hasPublicGravatar(account: Pictured): boolean {
  return account.avatarSource === "G" && account.emailAddressVisibility === 1;
}
