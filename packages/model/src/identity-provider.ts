import { roles } from "@carillon/contract";
import { type Environment, StartupError } from "@carillon/kit";

import type { Realm } from "./realms.ts";

/** The identity provider with which people sign in by OpenID Connect (people.md §5). */
export interface IdentityProvider {
  /** `OIDC_ISSUER`, as the operator has written it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** On buttons and in mails. */
  readonly displayName: string;
  /** The URL of a picture. */
  readonly displayIcon: string | null;
  readonly scopes: string;
  /** Who gets an account at the first sign-in: people that the rules let in, or everyone with an allowed address. */
  readonly autoSignup: "rules" | "all";
  /** The claim with the groups of a person; undefined if nothing is mapped. */
  readonly groupsClaim: string | undefined;
  /** Roles by the values of the claim, the most powerful first; empty if roles are not mapped. */
  readonly roles: readonly RoleMapping[];
  /** Names of user groups by the values of the claim. */
  readonly groups: readonly GroupMapping[];
  /** The only organization that uses the provider; undefined for all. */
  readonly subdomain: string | undefined;
}

/** A role for people who have a value in the claim. */
export interface RoleMapping {
  readonly role: number;
  readonly value: string;
}

/** A user group for people who have a value in the claim. */
export interface GroupMapping {
  readonly group: string;
  readonly value: string;
}

const needed = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const;
const names = [
  ...needed,
  "OIDC_DISPLAY_NAME",
  "OIDC_DISPLAY_ICON",
  "OIDC_SCOPES",
  "OIDC_AUTO_SIGNUP",
  "OIDC_GROUPS_CLAIM",
  "OIDC_ROLES",
  "OIDC_GROUPS",
  "OIDC_SUBDOMAIN",
] as const satisfies readonly (keyof Environment)[];

/**
 * Reads the identity provider from the variables; undefined if there is none.
 * @throws StartupError that names the variable at fault
 */
export function identityProviderFrom(env: Environment): IdentityProvider | undefined {
  const given = names.filter((name) => env[name] !== undefined);
  if (given.length === 0) return undefined;
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env;
  if (!issuer || !clientId || !clientSecret) {
    const missing = needed.filter((name) => !env[name]);
    throw new StartupError(
      `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not set, but ${given[0]} is: sign-in by OpenID Connect needs ${needed.join(", ")}`,
    );
  }
  const groupsClaim = env.OIDC_GROUPS_CLAIM;
  const mapping = (["OIDC_ROLES", "OIDC_GROUPS"] as const).find((name) => env[name] !== undefined);
  if (mapping && groupsClaim === undefined)
    throw new StartupError(
      `OIDC_GROUPS_CLAIM is not set, but ${mapping} is: name the claim that holds the groups`,
    );
  return {
    issuer,
    clientId,
    clientSecret,
    displayName: env.OIDC_DISPLAY_NAME ?? "OpenID Connect",
    displayIcon: env.OIDC_DISPLAY_ICON ?? null,
    scopes: env.OIDC_SCOPES ?? "openid email profile",
    autoSignup: env.OIDC_AUTO_SIGNUP ?? "rules",
    groupsClaim,
    roles: pairs("OIDC_ROLES", env.OIDC_ROLES)
      .map(([name, value]) => ({ role: mappedRole(name), value }))
      .sort((a, b) => a.role - b.role),
    groups: pairs("OIDC_GROUPS", env.OIDC_GROUPS).map(([group, value]) => ({ group, value })),
    subdomain: env.OIDC_SUBDOMAIN,
  };
}

/** Whether people of the organization can be sent to the provider at all; the organization may have turned that off. */
export function usesProvider(
  provider: Pick<IdentityProvider, "subdomain"> | undefined,
  { subdomain }: Pick<Realm, "subdomain">,
): boolean {
  return (
    provider !== undefined && (provider.subdomain === undefined || provider.subdomain === subdomain)
  );
}

/**
 * Parses `name=value;name=value`. A value may contain `=`, a name may occur several times.
 * @throws StartupError
 */
function pairs(variable: string, text = ""): Array<readonly [name: string, value: string]> {
  return text
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const [, name, value] = /^([^=]*[^=\s])\s*=\s*(.+)$/s.exec(part) ?? [];
      if (name === undefined || value === undefined)
        throw new StartupError(
          `${variable} has the part ${JSON.stringify(part.slice(0, 60))}: it must be a name, =, and a value of OIDC_GROUPS_CLAIM`,
        );
      return [name, value] as const;
    });
}

/** Owners are not made at the provider, so that its administrators cannot take over the organization. */
function mappedRole(name: string): number {
  const { owner: _, ...mapped } = roles;
  const role = (mapped as Readonly<Record<string, number>>)[name];
  if (role === undefined || !Object.hasOwn(mapped, name))
    throw new StartupError(
      `OIDC_ROLES maps to ${JSON.stringify(name.slice(0, 60))}: it must be ${Object.keys(mapped).join(", ")}`,
    );
  return role;
}
