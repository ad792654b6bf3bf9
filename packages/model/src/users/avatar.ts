import { hash } from "node:crypto";

import type { Account } from "./account.ts";
import { rolesSeeingAddress, type Viewer } from "./addresses.ts";

type Pictured = Pick<
  Account,
  "id" | "deliveryEmail" | "avatarSource" | "avatarVersion" | "emailAddressVisibility" | "isBot"
>;

/**
 * What the address of an account's picture is made of. It depends on who looks (users.md §2): gravatar's is a hash of the
 * e-mail address and gives that away. So the log of events keeps this, and not one address for all.
 */
export interface Picture {
  readonly user_id: number;
  readonly version: number;
  /** MD5 of the delivery address: for those only who may see that. */
  readonly hash: string;
  /** The roles that may see it; the account itself always may. */
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

/** Whether the picture may be gravatar's for the viewer: it may see the e-mail address. */
export function showsGravatar(picture: Picture, viewer: Viewer): boolean {
  return viewer.id === picture.user_id || picture.shown_to.includes(viewer.role);
}

/**
 * Address of the account's picture for the viewer: gravatar's, or one of ours that tells nothing.
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

/** The same picture, 500 pixels wide. */
export function mediumUrl(url: string): string {
  return `${url}&s=500`;
}

/** Whether a client that builds gravatar addresses by itself can be left to do so: everybody sees the e-mail address. */
export function hasPublicGravatar(account: Pictured): boolean {
  return account.avatarSource === "G" && account.emailAddressVisibility === 1;
}
