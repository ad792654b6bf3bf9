import type { PermissionSubject } from "./memberships.ts";

/** Administrators, owners included. */
export function isOrganizationAdministrator(account: PermissionSubject): boolean {
  return account.isActive && account.role <= 200;
}
