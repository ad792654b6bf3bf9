import { connectDatabase, type Database } from "@carillon/db";
import { startRecurring } from "@carillon/scheduling";
import { checkSecretKey, serverVersion } from "@carillon/domain";
import {
  identityProviderFrom,
  type Secrets,
  type Site,
  secretsOf,
  uploadLimits,
} from "@carillon/model";
import {
  fileStoreFromEnvironment,
  logAvailability,
  type WatchedStore,
  watchStore,
} from "@carillon/files";
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
import { type BouncerClient, bouncerClient, pushConfig } from "@carillon/push";
import { connectQueues, type Queues } from "@carillon/queue";

import { closeGatewayServer, createGatewayServer } from "./http/server.ts";
import { type Limits, openLimits } from "./limits/open-limits.ts";
import { observeGateway } from "./observe.ts";
import { gatewayTasks } from "./recurring.ts";
import { tokenVerifierFrom } from "./sign-in/token-verifier.ts";
import { demoAccountsOf } from "./web-client/demo-accounts.ts";
import { readWebClient, type WebClientFiles } from "./web-client/files.ts";
import type { WebClient } from "./web-client/handlers.ts";
import { wireApp, type WiredGateway, wireServices } from "./wire.ts";

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
  const connections = await openConnections(env, log, shutdown);
  const { db, secrets, queues, files } = connections;
  const webClientFiles = await readWebClientIfOn(env, log);
  const site: Site = {
    url: publicUrl(env),
    secrets,
    development: env.DEVELOPMENT,
    pushConfigured: connections.bouncer !== undefined,
    uploads: uploadLimits(env),
    termsUrl: env.TERMS_URL,
    identityProvider: identityProviderFrom(env),
    webClient: webClientFiles !== undefined,
    callable: outgoingConfig(env).rules,
  };
  const limits = openLimits({ env, log, db, secrets }, shutdown);
  const gateway = wireProcess(env, log, shutdown, { ...connections, site, limits });
  const { onRequest, counters } = await observeGateway(
    {
      env,
      log,
      db,
      events: gateway.events,
      limits,
      files,
      group: gateway.group,
      keyed: gateway.keyed,
      visits: gateway.visits,
      webhooks: gateway.services.webhooks,
      missed: () => gateway.published.missed(),
    },
    shutdown,
  );
  const closing = new AbortController();
  const app = await wireApp(gateway, {
    limiter: limits.requests,
    clientAddress: clientAddress(env),
    onRequest,
    closing: closing.signal,
    serverUrl: site.url,
    webClient: webClientFiles && webClientOf(env, webClientFiles, site),
  });
  const server = createGatewayServer(app);
  const port = await listen(server, env.PORT, env.HOST, "PORT");
  shutdown.add(0, "http", () => closeGatewayServer(server));
  shutdown.add(0, "polls", () => {
    closing.abort();
    return gateway.events.close();
  });
  startRecurring(
    { process: "gateway", tasks: await gatewayTasks(), counters },
    { db, log },
    shutdown,
    { first: 0, last: 1 },
  );
  log.info({ host: env.HOST, port, queues: queues.backend }, "gateway started");
  return port;
}

/** What the gateway reaches outside of its process. */
interface Connections {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly queues: Queues;
  readonly files: WatchedStore;
  /** Undefined if no push service is configured. */
  readonly bouncer: BouncerClient | undefined;
}

/**
 * Connects the database, the queues, the file store and the push service.
 * @throws StartupError naming the variable if one is missing or what it names cannot be reached
 */
async function openConnections(
  env: Environment,
  log: Logger,
  shutdown: Shutdown,
): Promise<Connections> {
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
  return { db, secrets, queues, files, bouncer };
}

/** Assembles the services of the process, which are closed before its connections. */
function wireProcess(
  env: Environment,
  log: Logger,
  shutdown: Shutdown,
  {
    db,
    queues,
    files,
    bouncer,
    site,
    limits,
  }: Connections & { readonly site: Site; readonly limits: Limits },
): WiredGateway {
  const gateway = wireServices({
    db,
    site,
    log,
    queues,
    redisUrl: env.REDIS_URL,
    guesses: limits.guesses,
    mails: limits.mails,
    inviteRules: limits.invites,
    tokens: tokenVerifierFrom(env, log),
    botStorageLimit: env.BOT_STORAGE_LIMIT,
    files,
    bouncer,
  });
  shutdown.add(2, "reserved objects", () => gateway.objectKeys.close());
  shutdown.add(1, "wake-ups", () => gateway.wakeUps.close());
  shutdown.add(1, "jobs of commits", () => gateway.published.close());
  return gateway;
}

/** Reads the files of the browser client; undefined if the gateway does not serve it. */
async function readWebClientIfOn(
  env: Environment,
  log: Logger,
): Promise<WebClientFiles | undefined> {
  if (env.WEB_CLIENT !== "on") return undefined;
  const files = await readWebClient();
  if (!files) log.warn("browser client is not built");
  return files;
}

function webClientOf(env: Environment, files: WebClientFiles, { url }: Site): WebClient {
  return {
    files,
    demoAccounts: demoAccountsOf(env),
    serverUrl: url,
    pictures: env.OIDC_DISPLAY_ICON === undefined ? [] : [env.OIDC_DISPLAY_ICON],
  };
}
