import { createHash } from "node:crypto";

import type { Account } from "./account.ts";

type Pictured = Pick<
  Account,
  "id" | "deliveryEmail" | "avatarSource" | "avatarVersion" | "emailAddressVisibility"
>;

/** Address of the account's picture: gravatar's by default (users.md §2). */
export function avatarUrl(account: Pictured): string {
  const hash = createHash("md5").update(account.deliveryEmail.toLowerCase()).digest("hex");
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon&version=${account.avatarVersion}`;
}

/** The same picture, 500 pixels wide. */
export function mediumAvatarUrl(account: Pictured): string {
  return `${avatarUrl(account)}&s=500`;
}

/** Whether a client that builds gravatar addresses by itself can be left to do so: it sees the e-mail address. */
export function hasPublicGravatar(account: Pictured): boolean {
  return account.avatarSource === "G" && account.emailAddressVisibility === 1;
}
