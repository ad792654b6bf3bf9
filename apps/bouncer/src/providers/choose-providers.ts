import { type Environment, StartupError } from "@carillon/kit";
import type { TokenKind } from "@carillon/push";
import { apnsProvider, apnsUrls } from "./apns/apns.ts";
import { readApnsKey } from "./apns/key.ts";
import { bounded } from "./bounded.ts";
import { developmentProvider } from "./development.ts";
import { fcmProvider } from "./fcm/fcm.ts";
import { readServiceAccount } from "./fcm/service-account.ts";
import type { Provider, Providers } from "./provider.ts";

/** Maximum concurrent requests: one for each connection to FCM, and half of the 1,000 streams that APNs allows. */
const fcmAtOnce = 100;
const apnsAtOnce = 500;

/**
 * Creates the providers that the variables configure: FCM and APNs with their credential files. `BOUNCER_HANDOVER_LOG`
 * stands in for a provider without credentials.
 * @throws StartupError naming the wrong variable
 */
export async function chooseProviders(env: Environment): Promise<Providers> {
  const [fcm, apns] = [await chosenFcm(env), await chosenApns(env)];
  if (!fcm && !apns)
    throw new StartupError(
      "BOUNCER_FCM_CREDENTIALS, BOUNCER_APNS_KEY and BOUNCER_HANDOVER_LOG are not set: the bouncer needs one of them to hand notifications over",
    );
  return { ...(fcm && { fcm }), ...(apns && { apns }) };
}

async function chosenFcm(env: Environment): Promise<Provider | undefined> {
  const path = env.BOUNCER_FCM_CREDENTIALS;
  if (path === undefined) return inFile("fcm", env);
  const provider = await fcmProvider({ account: await readServiceAccount(path) });
  return bounded(provider, fcmAtOnce);
}

async function chosenApns(env: Environment): Promise<Provider | undefined> {
  const path = env.BOUNCER_APNS_KEY;
  if (path === undefined) return inFile("apns", env);
  const key = await readApnsKey(path, env);
  const provider = apnsProvider({ key, url: apnsUrls[env.BOUNCER_APNS_SERVER] });
  return bounded(provider, apnsAtOnce);
}

async function inFile(kind: TokenKind, env: Environment): Promise<Provider | undefined> {
  const path = env.BOUNCER_HANDOVER_LOG;
  return path === undefined ? undefined : developmentProvider(kind, path);
}
