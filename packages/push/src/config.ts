import { StartupError, type Environment } from "@carillon/kit";

/** What is known of the push bouncer that the variables name. */
export interface PushConfig {
  /** Without a slash at the end; the calls' paths are appended. */
  readonly url: string;
  readonly serverId: string;
  readonly serverKey: string;
  /** How long one call may take, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * The push bouncer of `PUSH_BOUNCER_URL`; undefined where none is configured.
 * @throws StartupError that names the variable that is missing
 */
export function pushConfig(env: Environment): PushConfig | undefined {
  const { PUSH_BOUNCER_URL: url, PUSH_SERVER_ID: serverId, PUSH_SERVER_KEY: serverKey } = env;
  if (url === undefined) {
    if (serverId === undefined && serverKey === undefined) return undefined;
    const given = serverId === undefined ? "PUSH_SERVER_KEY" : "PUSH_SERVER_ID";
    throw new StartupError(
      `PUSH_BOUNCER_URL is not set, and ${given} is: set the address of the push bouncer, or neither`,
    );
  }
  return {
    url: url.replace(/\/+$/, ""),
    serverId: needed("PUSH_SERVER_ID", serverId),
    serverKey: needed("PUSH_SERVER_KEY", serverKey),
    timeoutMs: env.PUSH_TIMEOUT * 1_000,
  };
}

function needed(name: string, value: string | undefined): string {
  if (value === undefined)
    throw new StartupError(
      `${name} is not set: the push bouncer of PUSH_BOUNCER_URL wants PUSH_SERVER_ID and PUSH_SERVER_KEY`,
    );
  return value;
}
