import { StartupError, type Environment } from "@carillon/kit";

/** Configuration of the push bouncer. */
export interface PushConfig {
  /** Without a trailing slash; paths are appended. */
  readonly url: string;
  readonly serverId: string;
  readonly serverKey: string;
  /** Time limit of a call, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Reads the configuration of the push bouncer; undefined if there is none.
 * @throws StartupError naming the missing variable
 */
export function pushConfig(env: Environment): PushConfig | undefined {
  const { PUSH_BOUNCER_URL: url, PUSH_SERVER_ID: serverId, PUSH_SERVER_KEY: serverKey } = env;
  if (url === undefined) {
    if (serverId === undefined && serverKey === undefined) return undefined;
    const given = serverId === undefined ? "PUSH_SERVER_KEY" : "PUSH_SERVER_ID";
    throw new StartupError(
      `PUSH_BOUNCER_URL is not set, but ${given} is: set PUSH_BOUNCER_URL, PUSH_SERVER_ID and PUSH_SERVER_KEY, or none of them`,
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
      `${name} is not set: the push bouncer of PUSH_BOUNCER_URL requires PUSH_SERVER_ID and PUSH_SERVER_KEY`,
    );
  return value;
}
