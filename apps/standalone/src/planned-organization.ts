import { type Environment, StartupError } from "@carillon/kit";

/** What the first organization is to be. */
export interface PlannedOrganization {
  /** Accounts of every role, to try things out. */
  readonly demo: boolean;
  /** The demo's unless given. */
  readonly name: string | undefined;
  readonly owner: { readonly fullName: string | undefined; readonly email: string | undefined };
}

const variables = ["ORGANIZATION_NAME", "OWNER_NAME", "OWNER_EMAIL"] as const;

/**
 * What the variables say of the first organization; undefined where none is to be made: in production nobody gets an
 * organization that they have not named.
 * @throws StartupError where they say a part of it
 */
export function plannedOrganization(env: Environment): PlannedOrganization | undefined {
  const production = env.NODE_ENV === "production";
  const demo = env.DEMO === undefined ? !production : env.DEMO === "on";
  const missing = variables.filter((name) => env[name] === undefined);
  if (missing.length === variables.length && production && !demo) return undefined;
  if (missing.length > 0 && missing.length < variables.length)
    throw new StartupError(
      `${missing[0]} is not set: the first organization wants ${variables.join(", ")}, or none of them`,
    );
  return {
    demo,
    name: env.ORGANIZATION_NAME,
    owner: { fullName: env.OWNER_NAME, email: env.OWNER_EMAIL },
  };
}
