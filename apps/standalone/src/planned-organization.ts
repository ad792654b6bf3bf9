import { type Environment, StartupError } from "@carillon/kit";

/** The first organization to create. */
export interface PlannedOrganization {
  /** Whether to create accounts of every role. */
  readonly demo: boolean;
  /** The demo's name unless given. */
  readonly name: string | undefined;
  readonly owner: { readonly fullName: string | undefined; readonly email: string | undefined };
}

const variables = ["ORGANIZATION_NAME", "OWNER_NAME", "OWNER_EMAIL"] as const;

/**
 * Reads the first organization from the environment; undefined if none is to be created. In production an organization
 * is created only if its variables are set.
 * @throws StartupError if a variable is missing
 */
export function plannedOrganization(env: Environment): PlannedOrganization | undefined {
  const production = env.NODE_ENV === "production";
  const demo = env.DEMO === undefined ? !production : env.DEMO === "on";
  const missing = variables.filter((name) => env[name] === undefined);
  if (missing.length === variables.length && production && !demo) return undefined;
  if (missing.length > 0 && missing.length < variables.length)
    throw new StartupError(
      `${missing[0]} is not set: set all of ${variables.join(", ")} for the first organization, or none of them`,
    );
  return {
    demo,
    name: env.ORGANIZATION_NAME,
    owner: { fullName: env.OWNER_NAME, email: env.OWNER_EMAIL },
  };
}
