import { storeSecret, lockInstance, prepareDataDir, readSecret } from "@carillon/embedded";
import {
  childEnvironment,
  createLogger,
  publicUrl,
  Shutdown,
  StartupError,
  type Environment,
  type Logger,
} from "@carillon/kit";
import { checkApps, type App } from "./apps.ts";
import { planBouncer } from "./bouncer.ts";
import { givenDatabase, keepDatabase, type KeptDatabase } from "./database-keeper.ts";
import { greet, type Greeting } from "./greeting.ts";
import { healthy, localUrl } from "./health.ts";
import { LogFile } from "./log-file.ts";
import { plannedOrganization } from "./planned-organization.ts";
import { Preparation } from "./preparation.ts";
import { bouncerHost, checkPorts, type Ports } from "./ports.ts";
import { type Secrets, settleSecrets } from "./secrets.ts";
import { SupervisedProcess } from "./supervised-process.ts";
import { CredentialFiles } from "./zuliprc.ts";

/** What `main.ts` passes to the standalone. */
export interface Parts {
  chooseApps(env: Environment, ports: Ports): App[];
  /** The script that runs before them. */
  prepare: string;
  /** Writes to the terminal. */
  print(text: string): void;
}

/** A running standalone. */
export interface Standalone {
  /** Ends the apps, then PostgreSQL. Called again, it stops waiting for the apps. */
  stop(): Promise<void>;
}

const logLimitEveryMs = 60_000;

/**
 * Starts everything: checks DATA_DIR and ports, starts PostgreSQL while the apps load their code, migrates, creates the
 * first organization, and lets the apps start. Resolves when gateway and dashboard serve. Stops what it has started when
 * something fails.
 * @throws StartupError with one line for the terminal
 */
export async function startStandalone(
  env: Environment,
  parts: Parts,
  cancelled: AbortSignal,
): Promise<Standalone> {
  const dataDir = await prepareDataDir(env.DATA_DIR);
  const lock = lockInstance(dataDir);
  const ownLog = new LogFile(dataDir, "standalone");
  ownLog.limit();
  const log = createLogger("standalone", {
    level: env.LOG_LEVEL,
    destination: ownLog.writer(),
  });
  const killNow = new AbortController();
  // Two bounds of 10 s, one for the apps and one for PostgreSQL.
  const shutdown = new Shutdown(log, 22_000);
  shutdown.add(2, "lock", () => lock.release());
  const standalone: Standalone = {
    async stop() {
      if (stopAsked) killNow.abort();
      stopAsked = true;
      await shutdown.run();
    },
  };
  let stopAsked = false;

  try {
    const ports = await checkPorts(env, lock.predecessorWasKilled);
    const apps = parts.chooseApps(env, ports);
    checkApps(apps);
    const secrets = await settleSecrets(dataDir, env);
    const planned = plannedOrganization(env);
    const bouncer = await planBouncer(env, ports, dataDir);
    const site = publicUrl({ ...env, PORT: ports.gateway });
    const files = new CredentialFiles(dataDir);
    await keepAddress(dataDir, site, files);
    const context = { env, dataDir, log, shutdown, killNow: killNow.signal };
    // Unset until PostgreSQL is up; no app asks for variables before.
    let database: KeptDatabase | undefined;
    const variables = (app: App | undefined) => () =>
      childEnvironment({
        ...secrets,
        DATABASE_URL: database?.url(),
        DATABASE_DIRECT_URL: env.DATABASE_DIRECT_URL,
        PORT: String(ports.gateway),
        DASHBOARD_PORT: String(ports.dashboard),
        PUBLIC_URL: site,
        DATA_DIR: dataDir,
        METRICS_PORT: undefined,
        ...(database && bouncer(database.url())),
        ...app?.env,
      });

    const processes = apps.map((app) => superviseApp(context, app, variables(app)));
    const preparation = openPreparation(context, parts.prepare);
    const organizationIsMissing = planned !== undefined && !files.published();
    if (organizationIsMissing) preparation.preload();

    database = await openDatabase(context, () => processes.forEach((process) => process.restart()));
    stopWhen(cancelled);
    await preparation.run(variables(undefined)(), organizationIsMissing);
    stopWhen(cancelled);
    for (const process of processes) process.start();
    await allServe(apps, processes, env.HOST, cancelled);
    parts.print(await greet(greetingOf(context, { ports, site, secrets, files })));
    return standalone;
  } catch (error) {
    log.error({ err: error }, "the start failed");
    await standalone.stop();
    throw error;
  }
}

/** What the parts of the standalone share. */
interface StartContext {
  readonly env: Environment;
  readonly dataDir: string;
  readonly log: Logger;
  readonly shutdown: Shutdown;
  /** Aborted when the standalone is to stop without waiting for the apps. */
  readonly killNow: AbortSignal;
}

/** Makes the process of an app, which loads the app's code and waits to be started. */
function superviseApp(
  { env, dataDir, log, shutdown, killNow }: StartContext,
  app: App,
  variables: () => Record<string, string | undefined>,
): SupervisedProcess {
  const { name, script } = app;
  const logFile = new LogFile(dataDir, name);
  const url = healthUrl(app, env.HOST);
  const child = new SupervisedProcess({ name, script, env: variables, logFile, log, url });
  shutdown.add(0, name, () => child.stop(killNow));
  const timer = setInterval(() => logFile.limit(), logLimitEveryMs).unref();
  shutdown.add(2, `${name} log`, () => clearInterval(timer));
  child.preload();
  return child;
}

function openPreparation({ dataDir, log, shutdown }: StartContext, script: string): Preparation {
  const logFile = new LogFile(dataDir, "prepare");
  const preparation = new Preparation({ script, dataDir, logFile, log });
  shutdown.add(0, "preparation", () => preparation.stop());
  return preparation;
}

/**
 * Starts PostgreSQL, unless an existing one is given.
 * @param onMoved called when PostgreSQL was started again and has another address
 */
async function openDatabase(
  { env, dataDir, log, shutdown }: StartContext,
  onMoved: () => void,
): Promise<KeptDatabase> {
  const database = env.DATABASE_URL
    ? givenDatabase(env.DATABASE_URL)
    : await keepDatabase(dataDir, log, onMoved);
  shutdown.add(1, "postgres", () => database.stop());
  return database;
}

function greetingOf(
  { env, dataDir }: StartContext,
  {
    ports,
    site,
    secrets,
    files,
  }: { ports: Ports; site: string; secrets: Secrets; files: CredentialFiles },
): Greeting {
  return {
    site,
    webClient: env.WEB_CLIENT === "on",
    gatewayUrl: localUrl(env.HOST, ports.gateway),
    dashboardUrl: localUrl(env.HOST, ports.dashboard),
    dashboardUser: secrets.DASHBOARD_USER,
    dashboardPassword: env.DASHBOARD_PASSWORD
      ? "DASHBOARD_PASSWORD"
      : `DASHBOARD_PASSWORD in ${dataDir}/secrets.json`,
    dataDir,
    files,
    ...(ports.bouncer !== undefined && { bouncerUrl: localUrl(bouncerHost, ports.bouncer) }),
  };
}

/** Stores the address in DATA_DIR, where the command line finds it, and in the credential files. */
async function keepAddress(dataDir: string, site: string, files: CredentialFiles): Promise<void> {
  const before = await readSecret(dataDir, "PUBLIC_URL");
  if (before === site) return;
  // The files first: after a crash in between, the next start moves them again.
  await files.moveTo(site, before);
  await storeSecret(dataDir, "PUBLIC_URL", site);
}

/** Resolves when every app with a health port serves; from then on each is started again when it dies. */
async function allServe(
  apps: readonly App[],
  processes: readonly SupervisedProcess[],
  host: string,
  cancelled: AbortSignal,
): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, cancelled]);
  const serving = apps.flatMap((app) => {
    const url = healthUrl(app, host);
    return url === undefined ? [] : [healthy(url, signal)];
  });
  const refusals = processes.map(async (process) => {
    throw new StartupError(`${process.name}: ${await process.refusal()}`);
  });
  try {
    await Promise.race([Promise.all(serving), ...refusals]);
  } finally {
    ended.abort();
  }
  stopWhen(cancelled);
  for (const process of processes) process.markStarted();
}

function healthUrl({ host, healthPort }: App, usualHost: string): string | undefined {
  if (healthPort === undefined) return undefined;
  return `${localUrl(host ?? usualHost, healthPort)}/health`;
}

function stopWhen(cancelled: AbortSignal): void {
  if (cancelled.aborted) throw new StartupError("stopped before it was up");
}
