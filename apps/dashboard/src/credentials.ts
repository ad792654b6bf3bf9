import { StartupError, type Environment } from "@carillon/kit";

/** The operator may replay and acknowledge; the viewer only looks. */
export type Role = "operator" | "viewer";

/** The person behind a request. */
export interface Visitor {
  readonly role: Role;
  readonly user: string;
}

export interface Login {
  readonly role: Role;
  readonly user: string;
  readonly password: string;
}

const why = "the dashboard starts only with an operator's credentials";

/**
 * Reads the accounts of the dashboard: the operator and, if configured, the viewer.
 * @throws StartupError that names the wrong variable
 */
export function readLogins(env: Environment): Login[] {
  const { DASHBOARD_USER: user, DASHBOARD_PASSWORD: password } = env;
  if (user === undefined && password === undefined) {
    throw new StartupError(`DASHBOARD_USER and DASHBOARD_PASSWORD are not set: ${why}`);
  }
  if (user === undefined) throw new StartupError(`DASHBOARD_USER is not set: ${why}`);
  if (password === undefined) throw new StartupError(`DASHBOARD_PASSWORD is not set: ${why}`);
  checkName("DASHBOARD_USER", user);
  const operator: Login = { role: "operator", user, password };

  const viewerUser = env.DASHBOARD_VIEWER_USER;
  const viewerPassword = env.DASHBOARD_VIEWER_PASSWORD;
  if (viewerUser === undefined && viewerPassword === undefined) return [operator];
  if (viewerUser === undefined) {
    throw new StartupError("DASHBOARD_VIEWER_USER is not set, but DASHBOARD_VIEWER_PASSWORD is");
  }
  if (viewerPassword === undefined) {
    throw new StartupError("DASHBOARD_VIEWER_PASSWORD is not set, but DASHBOARD_VIEWER_USER is");
  }
  checkName("DASHBOARD_VIEWER_USER", viewerUser);
  if (viewerUser === user) {
    throw new StartupError("DASHBOARD_VIEWER_USER must be another name than DASHBOARD_USER");
  }
  return [operator, { role: "viewer", user: viewerUser, password: viewerPassword }];
}

/** HTTP Basic ends the name at the first colon. */
function checkName(variable: string, user: string): void {
  if (user.includes(":")) throw new StartupError(`${variable} must not contain a colon`);
}
