/** The protocol's numbers of roles: a lower number has more rights. */
export const roles = {
  owner: 100,
  administrator: 200,
  moderator: 300,
  member: 400,
  guest: 600,
} as const;

export type RoleName = keyof typeof roles;
export type Role = (typeof roles)[RoleName];

/** Returns the role with this number, if it is one that the client knows. */
export function roleNamed(role: number): RoleName | undefined {
  return (Object.keys(roles) as RoleName[]).find((name) => roles[name] === role);
}
