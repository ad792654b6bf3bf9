import { join } from "node:path";
import { StartupError, type Environment } from "@carillon/kit";
import { pushConfig } from "@carillon/push";
import { localUrl } from "./health.ts";
import { bouncerHost, type Ports } from "./ports.ts";
import { settleBouncerSecrets } from "./secrets.ts";

/** The name of the bouncer's database in the embedded PostgreSQL. */
const databaseName = "carillon_bouncer";

/** Environment variables that connect the embedded bouncer and the other apps. */
export type BouncerVariables = Partial<Record<keyof Environment, string>>;

/**
 * Plans the embedded bouncer (`PUSH_BOUNCER=embedded`).
 * @returns a function that makes the apps' variables from the current address of the database; none without a bouncer
 * @throws StartupError that names the variable at fault
 */
export async function planBouncer(
  env: Environment,
  ports: Ports,
  dataDir: string,
): Promise<(databaseUrl: string) => BouncerVariables> {
  if (ports.bouncer === undefined) {
    // Otherwise each app would refuse to start.
    pushConfig(env);
    return () => ({});
  }
  if (env.PUSH_BOUNCER_URL !== undefined)
    throw new StartupError(
      "PUSH_BOUNCER_URL is set, and PUSH_BOUNCER is embedded: set only one of them",
    );
  if (env.DATABASE_URL !== undefined && env.BOUNCER_DATABASE_URL === undefined)
    throw new StartupError(
      "BOUNCER_DATABASE_URL is not set: with DATABASE_URL set, the embedded bouncer needs a separate database on that server",
    );
  const secrets = await settleBouncerSecrets(dataDir, env);
  const real = env.BOUNCER_FCM_CREDENTIALS ?? env.BOUNCER_APNS_KEY;
  const handovers = env.BOUNCER_HANDOVER_LOG ?? join(dataDir, "bouncer", "handovers.jsonl");
  const port = ports.bouncer;
  return (databaseUrl) => ({
    ...secrets,
    PUSH_BOUNCER_URL: localUrl(bouncerHost, port),
    BOUNCER_PORT: String(port),
    BOUNCER_DATABASE_URL: env.BOUNCER_DATABASE_URL ?? ownDatabase(databaseUrl),
    // With credentials of a provider, the bouncer writes notifications to a file only if the variable is set.
    ...(real === undefined && { BOUNCER_HANDOVER_LOG: handovers }),
  });
}

function ownDatabase(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${databaseName}`;
  return url.href;
}
