import { roleNamed, roles, type RoleName } from "../store/roles.ts";
import { texts } from "../texts.ts";

const t = texts.organization;

/** The roles, for a choice of one. */
export const roleOptions = (Object.keys(roles) as RoleName[]).map((name) => ({
  value: String(roles[name]),
  label: t.roles[name],
}));

/** Returns the name of a role for people. */
export function roleOf(role: number): string {
  const name = roleNamed(role);
  return name === undefined ? "" : t.roles[name];
}
