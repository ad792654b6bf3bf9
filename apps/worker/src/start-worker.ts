import { connectDatabase, type Database } from "@carillon/db";
import { connectWakeUps } from "@carillon/events";
import { fileStoreFromEnvironment, logAvailability, watchStore } from "@carillon/files";
import {
  type AfterCommitPublisher,
  startRecurring,
  publishJobsAfterCommit,
} from "@carillon/scheduling";
import { serverVersion } from "@carillon/domain";
import { identityProviderFrom, secretsOf, uploadLimits } from "@carillon/model";
import { allJobs, longRunsAtOnce, queueNames } from "@carillon/jobs";
import {
  databaseAddresses,
  type DatabaseAddresses,
  proxyVariables,
  publicUrl,
  required,
  type Environment,
  type Logger,
  type Shutdown,
} from "@carillon/kit";
import { chooseMailer } from "@carillon/mail";
import { outgoingClient, outgoingConfig } from "@carillon/outgoing";
import { bouncerClient, pushConfig } from "@carillon/push";
import { connectQueues, type Queues } from "@carillon/queue";

import { guardBouncer } from "./bouncer.ts";
import { startHealthMonitor } from "./health-monitor.ts";
import { healthProbe } from "./health-probe.ts";
import { LongRunSlots } from "./long-run-slots.ts";
import { observeWorker } from "./observe.ts";
import { loadProcessors } from "./processor.ts";
import { workerTasks } from "./recurring.ts";
import { type Runner, startRunner } from "./runner.ts";
import type { WorkerServices } from "./services.ts";
import { SubscriptionWakeUps } from "./subscription-wake-ups.ts";

/**
 * Connections for this process's own statements: five deliveries may run at once, beside intents, relay and sweep. BullMQ
 * has its own pool (docs/operating.md, connections).
 */
const poolSize = 11;

/**
 * Starts a worker process. Connects the database and the queues first, so that nothing is left running when one of them is
 * unreachable.
 * @throws StartupError with one line for the terminal
 */
export async function startWorkerProcess(
  env: Environment,
  log: Logger,
  shutdown: Shutdown,
): Promise<void> {
  const addresses = databaseAddresses(env, "the PostgreSQL to work on");
  const secretKey = required(
    env,
    "SECRET_KEY",
    "the secret of the installation, the same for all processes",
  );
  const push = pushConfig(env);
  const outgoing = outgoingConfig(env);
  warnOfProxies(log);
  const { db, queues } = await openConnections(env, addresses, log, shutdown);
  const published = receiveCommits(env, { db, queues, log }, shutdown);
  const client = push && bouncerClient(push, serverVersion.zulip_version);
  if (client) shutdown.add(3, "push bouncer", () => client.close());
  const endpoints = outgoingClient(outgoing);
  shutdown.add(3, "endpoints", () => endpoints.close());
  const files = watchStore(fileStoreFromEnvironment(env), logAvailability(log));
  const pingQueues = () => queues.queue("delivery").presence("health");
  const observer = observeWorker({ env, log, db, files, pingQueues }, shutdown);
  shutdown.add(3, "file store", () => files.close());
  const services: WorkerServices = {
    onDelivery: observer.onDelivery,
    onCall: observer.onCall,
    db,
    queues,
    log,
    mailer: chooseMailer(env),
    files,
    hasDeliveryJob: published.hasDeliveryJob,
    longRuns: new LongRunSlots(longRunsAtOnce),
    site: {
      url: publicUrl(env),
      secrets: secretsOf(secretKey),
      development: env.DEVELOPMENT,
      pushConfigured: push !== undefined,
      uploads: uploadLimits(env),
      identityProvider: identityProviderFrom(env),
      callable: outgoing.rules,
    },
    awayAfterDays: env.AWAY_AFTER_DAYS,
    subscriptionDisableDays: env.EVENT_SUBSCRIPTION_DISABLE_DAYS,
    eventRetention: { days: env.EVENT_RETENTION_DAYS, events: env.EVENT_RETENTION_EVENTS },
    outgoing: { client: endpoints, timeoutMs: outgoing.timeoutMs },
    bouncer: client && guardBouncer(client, { db, queues, log }),
  };
  const runner = startRunner({
    definitions: allJobs,
    processors: await loadProcessors(),
    services,
    onRun: observer.onRun,
  });
  const counters = () => ({ ...runner.counters(), ...observer.counters() });
  startRecurring({ process: "worker", tasks: await workerTasks(), counters }, services, shutdown, {
    first: 0,
    last: 2,
  });
  monitorHealth(addresses, services, runner, shutdown);
  shutdown.add(1, "jobs", () => runner.close(6_000));
  await observer.serve(counters);
  const about = { mail: services.mailer.about, push: services.bouncer?.about ?? "none" };
  log.info({ queues: queues.backend, ...about }, "worker started");
}

function warnOfProxies(log: Logger): void {
  const variables = proxyVariables();
  if (variables.length > 0)
    log.warn({ variables }, "variables for proxies are not read; endpoints are called directly");
}

/** @throws StartupError if the database or the store of the queues cannot be reached */
async function openConnections(
  env: Environment,
  { databaseUrl, directUrl }: DatabaseAddresses,
  log: Logger,
  shutdown: Shutdown,
): Promise<{ db: Database; queues: Queues }> {
  const db = await connectDatabase(databaseUrl, {
    directUrl,
    max: poolSize,
    name: "worker",
    checkLocks: env.DEVELOPMENT,
  });
  shutdown.add(4, "database", () => db.close());
  const queues = await connectQueues({
    databaseUrl: directUrl ?? databaseUrl,
    redisUrl: env.REDIS_URL,
    log,
    poolSize: queueNames.length + 4,
  });
  shutdown.add(3, "queues", () => queues.close());
  return { db, queues };
}

/** Adds the jobs of this process's commits, and wakes event subscriptions after the commits of any process. */
function receiveCommits(
  env: Environment,
  { db, queues, log }: Pick<WorkerServices, "db" | "queues" | "log">,
  shutdown: Shutdown,
): AfterCommitPublisher {
  const subscriptions = new SubscriptionWakeUps({ db, queues, log });
  const wakeUps = connectWakeUps({
    db,
    redisUrl: env.REDIS_URL,
    log,
    onWake: (realmId) => subscriptions.wake(realmId),
  });
  const published = publishJobsAfterCommit({ db, queues, log });
  shutdown.add(2, "wake-ups", () => wakeUps.close());
  shutdown.add(1, "wake-ups of subscriptions", () => subscriptions.close());
  shutdown.add(2, "jobs of commits", () => published.close());
  return published;
}

/** Ends the process if it is stuck, so that it is started again. */
function monitorHealth(
  { databaseUrl, directUrl }: DatabaseAddresses,
  { db, queues, log }: WorkerServices,
  runner: Runner,
  shutdown: Shutdown,
): void {
  const monitor = startHealthMonitor({
    probe: healthProbe({
      databaseUrl: directUrl ?? databaseUrl,
      db,
      queues,
      begun: () => runner.begun(),
      refusals: () => runner.refusals(),
    }),
    exit: (why) => {
      log.fatal({ why }, "worker is stuck; exiting, so that it is started again");
      process.exit(1);
    },
    log,
  });
  shutdown.add(0, "health monitor", () => monitor.stop());
}
