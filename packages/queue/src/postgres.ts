import { DatabaseClient } from "@carillon/db";
import { StartupError, within } from "@carillon/kit";
import {
  assertSchemaCompatibility,
  createPostgresBackend,
  DEFAULT_SCHEMA,
  runMigrations,
  SchemaMigrationRequiredError,
  isPgPool,
  type BackendFactory,
  type ConnectionOptions,
  type IQueueBackend,
  type RedisQueueBackend,
} from "bullmq";
import pg from "pg";
import type { Backend, QueueConfig } from "./backend.ts";

/** Connections in addition to those that workers hold: for adding, claiming and finishing jobs, and renewing locks. */
export const sharedConnections = 4;

/**
 * Maximum sleep of an idle worker, in seconds. New jobs wake it at once; this limits the delay after a wake-up was
 * lost with a connection that died unnoticed. BullMQ's own limit is an hour.
 */
const maxSleep = 5;

/** Default connection timeout, in milliseconds. */
const defaultConnectMs = 5_000;

/** How long closing waits for running statements, in milliseconds. */
const closeMs = 2_000;

/**
 * Under load every delivery job leaves one or two dead rows. With PostgreSQL's default scale factor of 0.2, claiming
 * jobs slows to half its speed before autovacuum starts.
 */
const vacuumSettings = {
  autovacuum_vacuum_threshold: 500,
  autovacuum_vacuum_scale_factor: 0,
  autovacuum_vacuum_cost_delay: 0,
};

/**
 * Applies BullMQ's migrations to the database. Several processes may run it at once.
 * @throws StartupError naming DATABASE_URL
 */
export async function preparePostgres({ databaseUrl, connectMs }: QueueConfig): Promise<void> {
  const client = new DatabaseClient({
    connectionString: databaseUrl,
    connectionTimeoutMillis: connectMs ?? defaultConnectMs,
    application_name: "carillon migrate",
  });
  // A lost connection must not end the process: the next statement reports it.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await runMigrations(client);
    const { rows } = await client.query<{ reloptions: string[] | null }>(
      `SELECT reloptions FROM pg_class WHERE oid = '${DEFAULT_SCHEMA}.job'::regclass`,
    );
    const wanted = Object.entries(vacuumSettings).map(([name, value]) => `${name}=${value}`);
    if (!wanted.every((setting) => rows[0]?.reloptions?.includes(setting))) {
      await client.query(`ALTER TABLE ${DEFAULT_SCHEMA}.job SET (${wanted.join(", ")})`);
    }
  } catch (error) {
    throw new StartupError(`DATABASE_URL: cannot prepare the queues there: ${reason(error)}`, {
      cause: error,
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Connects, and checks that the tables exist, before any BullMQ object is constructed: a Queue that is constructed while the
 * database is down never recovers.
 * @throws StartupError naming DATABASE_URL, and the command that helps
 */
export async function connectPostgres(
  { databaseUrl, log, connectMs }: QueueConfig,
  poolSize: number,
): Promise<Backend> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: "carillon queues",
    options: `-c search_path=${DEFAULT_SCHEMA}`,
    max: poolSize,
    Client: DatabaseClient,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: connectMs ?? defaultConnectMs,
    // Detects a connection whose other end vanished. Not less: a query takes 11 s when 100,000 jobs are due at once.
    query_timeout: 20_000,
  });
  pool.setMaxListeners(100);
  pool.on("error", (error) => log.warn({ err: error }, "queue connection to PostgreSQL lost"));
  // The pool listens to idle connections only. BullMQ takes some without listening, whose loss would end the process; the
  // statement in progress reports it.
  pool.on("connect", (client) => client.on("error", () => undefined));
  try {
    const client = await pool.connect();
    try {
      await assertSchemaCompatibility(client);
    } finally {
      client.release();
    }
  } catch (error) {
    await pool.end();
    if (error instanceof SchemaMigrationRequiredError) {
      throw new StartupError(
        "DATABASE_URL: the queues' tables are missing or outdated there; run `npm run migrate`",
        {
          cause: error,
        },
      );
    }
    throw new StartupError(`DATABASE_URL: cannot reach the queues there: ${reason(error)}`, {
      cause: error,
    });
  }
  return {
    kind: "postgres",
    producer: pool,
    consumer: pool,
    // The type of a Queue names its backend, and bull-board only accepts a Queue typed for Redis; this backend has
    // everything that bull-board uses.
    factory: createShortBlockingBackend as BackendFactory<RedisQueueBackend>,
    prefix: "bull",
    workerLimit: Math.max(0, poolSize - 1),
    ping: () => pool.query("SELECT 1"),
    async close() {
      if (!(await within(pool.end(), closeMs)))
        log.warn("queue connections to PostgreSQL did not close in time");
    },
  };
}

const createShortBlockingBackend: BackendFactory<IQueueBackend, ConnectionOptions> = (
  name,
  options,
  kind,
) => {
  const connection: unknown = options.connection;
  if (!isPgPool(connection)) throw new TypeError("the PostgreSQL queues need a pg.Pool");
  const backend = createPostgresBackend(name, { ...options, connection }, kind);
  Object.defineProperty(backend, "maximumBlockTimeout", { value: maxSleep });
  return backend;
};

function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0]);
  return error instanceof Error && error.message ? error.message : String(error);
}
