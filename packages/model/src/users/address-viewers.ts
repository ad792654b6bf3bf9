import { roles } from "@carillon/contract";

import type { Account } from "./account.ts";

/** Who looks, as far as it matters to what is shown. */
export type Viewer = Pick<Account, "id" | "role">;

type Addressed = Pick<Account, "isBot" | "emailAddressVisibility">;

/** For each role the values of `email_address_visibility` that reveal an address to it. */
const revealing: Readonly<Record<number, readonly number[]>> = {
  [roles.owner]: [1, 2, 3, 5],
  [roles.administrator]: [1, 2, 3, 5],
  [roles.moderator]: [1, 2, 5],
  [roles.member]: [1, 2],
  [roles.guest]: [1],
};

/** The values of `email_address_visibility` with which people show their address to the role. */
export function visibilitiesSeenBy(role: number): readonly number[] {
  return revealing[role] ?? [];
}

const allRoles = Object.keys(revealing).map(Number);

/** By the value of `email_address_visibility`; one that nobody sees by has none. */
const rolesByVisibility: ReadonlyMap<number, readonly number[]> = new Map(
  Object.values(revealing)
    .flat()
    .map((visibility) => [
      visibility,
      allRoles.filter((role) => visibilitiesSeenBy(role).includes(visibility)),
    ]),
);

/** The roles that see the account's delivery address; asked of the sender of each message, and so known beforehand. */
export function rolesSeeingAddress(account: Addressed): readonly number[] {
  return account.isBot ? allRoles : (rolesByVisibility.get(account.emailAddressVisibility) ?? []);
}

/** Whether accounts of the role see the delivery address of `account`; its own it always sees. */
export function showsAddressTo(account: Addressed, role: number): boolean {
  return rolesSeeingAddress(account).includes(role);
}
