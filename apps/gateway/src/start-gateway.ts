import { connectDatabase } from "@carillon/db";
import { startRecurring } from "@carillon/scheduling";
import { checkSecretKey, serverVersion } from "@carillon/domain";
import { identityProviderFrom, type Site, secretsOf, uploadLimits } from "@carillon/model";
import { fileStoreFromEnvironment, logAvailability, watchStore } from "@carillon/files";
import {
  clientAddress,
  databaseAddresses,
  listen,
  publicUrl,
  required,
  type Environment,
  type Logger,
  type Shutdown,
} from "@carillon/kit";
import { outgoingConfig } from "@carillon/outgoing";
import { bouncerClient, pushConfig } from "@carillon/push";
import { connectQueues } from "@carillon/queue";

import { closeGatewayServer, createGatewayServer } from "./http/server.ts";
import { openLimits } from "./limits/open-limits.ts";
import { observeGateway } from "./observe.ts";
import { gatewayTasks } from "./recurring.ts";
import { tokenVerifierFrom } from "./sign-in/token-verifier.ts";
import { demoAccountsOf } from "./web-client/demo-accounts.ts";
import { readWebClient } from "./web-client/files.ts";
import { wireApp, wireServices } from "./wire.ts";

/** Connections for requests; BullMQ has its own pool (docs/operating.md, connections). */
const poolSize = 10;

/** Connections for adding jobs; a gateway processes none. */
const queuePoolSize = 4;
/** With a pooler, connections to PostgreSQL itself are scarce: the gateway adds its jobs over one, one by one. */
const queuePoolSizeBesidePooler = 1;

/**
 * Starts a gateway process and resolves with the port it listens on.
 * @throws StartupError with one line for the operator, before it listens
 */
export async function startGateway(
  env: Environment,
  log: Logger,
  shutdown: Shutdown,
): Promise<number> {
  const { databaseUrl, directUrl } = databaseAddresses(env, "the PostgreSQL to work on");
  const secretKey = required(
    env,
    "SECRET_KEY",
    "the secret of the installation, the same for all processes",
  );
  const push = pushConfig(env);
  const db = await connectDatabase(databaseUrl, {
    directUrl,
    max: poolSize,
    name: "gateway",
    checkLocks: env.DEVELOPMENT,
    // The deadline of requests, and a second.
    transactionTimeoutMs: 31_000,
  });
  shutdown.add(3, "database", () => db.close());
  const bouncer = push && bouncerClient(push, serverVersion.zulip_version);
  if (bouncer) shutdown.add(2, "push bouncer", () => bouncer.close());
  const secrets = secretsOf(secretKey);
  await checkSecretKey(db, secrets);
  const queues = await connectQueues({
    databaseUrl: directUrl ?? databaseUrl,
    redisUrl: env.REDIS_URL,
    log,
    poolSize: directUrl === undefined ? queuePoolSize : queuePoolSizeBesidePooler,
  });
  shutdown.add(2, "queues", () => queues.close());
  const files = watchStore(fileStoreFromEnvironment(env), logAvailability(log));
  shutdown.add(2, "file store", () => files.close());
  const webClient = env.WEB_CLIENT === "on" ? await readWebClient() : undefined;
  if (env.WEB_CLIENT === "on" && !webClient) log.warn("browser client is not built");
  const site: Site = {
    url: publicUrl(env),
    secrets,
    development: env.DEVELOPMENT,
    pushConfigured: push !== undefined,
    uploads: uploadLimits(env),
    termsUrl: env.TERMS_URL,
    identityProvider: identityProviderFrom(env),
    webClient: webClient !== undefined,
    callable: outgoingConfig(env).rules,
  };
  const limits = openLimits({ env, log, db, secrets }, shutdown);
  const { guesses, mails, invites: inviteRules, requests: limiter } = limits;
  const gateway = wireServices({
    db,
    site,
    log,
    queues,
    redisUrl: env.REDIS_URL,
    guesses,
    mails,
    inviteRules,
    tokens: tokenVerifierFrom(env, log),
    botStorageLimit: env.BOT_STORAGE_LIMIT,
    files,
    bouncer,
  });
  const { events, wakeUps, published, objectKeys } = gateway;
  shutdown.add(2, "reserved objects", () => objectKeys.close());
  shutdown.add(1, "wake-ups", () => wakeUps.close());
  shutdown.add(1, "jobs of commits", () => published.close());
  const observed = await observeGateway(
    {
      env,
      log,
      db,
      events,
      limits,
      files,
      group: gateway.group,
      keyed: gateway.keyed,
      visits: gateway.visits,
      webhooks: gateway.services.webhooks,
      missed: () => published.missed(),
    },
    shutdown,
  );
  const closing = new AbortController();
  const app = await wireApp(gateway, {
    limiter,
    clientAddress: clientAddress(env),
    onRequest: observed.onRequest,
    closing: closing.signal,
    serverUrl: site.url,
    webClient: webClient && {
      files: webClient,
      demoAccounts: demoAccountsOf(env),
      serverUrl: site.url,
      pictures: env.OIDC_DISPLAY_ICON === undefined ? [] : [env.OIDC_DISPLAY_ICON],
    },
  });
  const server = createGatewayServer(app);
  const port = await listen(server, env.PORT, env.HOST, "PORT");
  shutdown.add(0, "http", () => closeGatewayServer(server));
  shutdown.add(0, "polls", () => {
    closing.abort();
    return events.close();
  });
  startRecurring(
    { process: "gateway", tasks: await gatewayTasks(), counters: observed.counters },
    { db, log },
    shutdown,
    { first: 0, last: 1 },
  );
  log.info({ host: env.HOST, port, queues: queues.backend }, "gateway started");
  return port;
}
