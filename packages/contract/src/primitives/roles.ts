/** The roles of accounts, as on the wire and in the column `role` (users.md §1): the smaller, the more it may do. */
export const roles = {
  owner: 100,
  administrator: 200,
  moderator: 300,
  member: 400,
  guest: 600,
} as const;

/** An account with its role. */
interface WithRole {
  readonly role: number;
}

export function isOwner(account: WithRole): boolean {
  return account.role === roles.owner;
}

export function isGuest(account: WithRole): boolean {
  return account.role === roles.guest;
}

/** Whether the account has this role or a more powerful one. */
export function isAtLeast(account: WithRole, role: number): boolean {
  return account.role <= role;
}
