import { within } from "@carillon/kit";
import pg from "pg";

import { PoolClient } from "./pool-client.ts";
import { PooledClient } from "./pooled-client.ts";

/** bigint columns are read as plain numbers: ids and event numbers stay far below 2^53. */
const int8Oid = 20;

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === int8Oid && format !== "binary"
      ? Number
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig["getTypeParser"],
};

export interface PoolOptions {
  /** The most connections that this process opens for its own statements. */
  max: number;
  /** Shown in `pg_stat_activity`. */
  name: string;
  /** Longest time of a statement, in milliseconds; 0 for no limit. */
  statementTimeoutMs?: number;
  /** Longest wait for a connection, in milliseconds; 5,000 unless given. */
  connectMs?: number;
  /** Milliseconds after which the server ends an idle transaction; 10,000 unless given. */
  idleInTransactionMs?: number;
  /** Longest time of a transaction, in milliseconds, on PostgreSQL 17 or later. */
  transactionTimeoutMs?: number;
  /**
   * The address of PostgreSQL itself, if the pool connects to a pooler in transaction mode. Then the pool uses no
   * settings of sessions and no prepared statements, and each transaction sets its own limits.
   */
  directUrl?: string | undefined;
  /** Whether transactions check the order of their locks (`lock-order.ts`); false unless given. */
  checkLocks?: boolean;
}

/**
 * How long a transaction may be idle, in milliseconds. A process that is frozen, or whose host has vanished, holds its
 * locks that long. It fits into the 35 s within which work resumes after a crash, and is two hundred times as long as an
 * event loop may be blocked.
 */
const abandonedMs = 10_000;

/**
 * Settings of each session. PostgreSQL does not count a session as idle while TCP delivers its output, so TCP has a
 * timeout, too.
 */
const session = [
  `tcp_user_timeout=${abandonedMs}`,
  "tcp_keepalives_idle=10",
  "tcp_keepalives_interval=2",
  "tcp_keepalives_count=3",
];

/** Limits of a session, in milliseconds; 0 for none. */
export interface SessionLimits {
  readonly statementTimeoutMs: number;
  readonly idleInTransactionMs: number;
}

/** Returns the limits that sessions of a pool with these options have. */
export function sessionLimits({
  statementTimeoutMs = 30_000,
  idleInTransactionMs = abandonedMs,
}: PoolOptions): SessionLimits {
  return { statementTimeoutMs, idleInTransactionMs };
}

/** Creates the pool of a process. Waiting for a connection fails after some seconds. */
export function createPool(databaseUrl: string, options: PoolOptions): pg.Pool {
  const { connectMs = 5_000, directUrl } = options;
  const { statementTimeoutMs, idleInTransactionMs } = sessionLimits(options);
  const isPooled = directUrl !== undefined;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: options.max,
    application_name: `carillon ${options.name}`,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // Statements are sent without waiting for earlier answers; they still run in order.
    pipeline: true,
    // A socket whose peer has vanished reports nothing: our own timeout ends it.
    ...(statementTimeoutMs > 0 ? { query_timeout: statementTimeoutMs + 5_000 } : {}),
    // PgBouncer refuses these settings in the start-up message.
    ...(isPooled
      ? {}
      : {
          statement_timeout: statementTimeoutMs,
          idle_in_transaction_session_timeout: idleInTransactionMs,
          options: session.map((setting) => `-c ${setting}`).join(" "),
        }),
    types,
    Client: isPooled ? PooledClient : PoolClient,
  });
  // A connection that breaks while idle or between two statements fails the next statement or is replaced. Without
  // listeners its error would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    // Sent with the first statement. Older servers would refuse it as a start-up option.
    if (options.transactionTimeoutMs !== undefined && !isPooled)
      client.query(`SET transaction_timeout = ${options.transactionTimeoutMs}`).catch(() => {});
  });
  return pool;
}

/** How long an answer may take, in milliseconds. */
const answerMs = 2_000;

/** @internal Returns whether the database behind the pool answers within two seconds. */
export function answers(pool: pg.Pool): Promise<boolean> {
  return within(pool.query("SELECT 1"), answerMs).catch(() => false);
}
