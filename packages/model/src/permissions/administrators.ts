import { isAtLeast, roles } from "@carillon/contract";

import type { PermissionSubject } from "./memberships.ts";

/** Administrators, owners included. */
export function isOrganizationAdministrator(account: PermissionSubject): boolean {
  return account.isActive && isAtLeast(account, roles.administrator);
}
