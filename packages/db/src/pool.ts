import pg from "pg";

import { PoolClient } from "./pool-client.ts";

/** bigint columns arrive as plain numbers: ids and event numbers stay far below 2^53 (design, rule 6). */
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
  /** No statement runs longer, in milliseconds; 0 for no limit. */
  statementTimeoutMs?: number;
  /** No waiting longer for a connection, in milliseconds; 5,000 unless given. */
  connectMs?: number;
  /** A transaction that waits longer for its own process is ended, in milliseconds; 10,000 unless given. */
  idleInTransactionMs?: number;
  /** No transaction lasts longer, in milliseconds, where the server is PostgreSQL 17 or later. */
  transactionTimeoutMs?: number;
  /** Whether transactions check the order of their locks (`lock-order.ts`); not unless asked to. */
  checkLocks?: boolean;
}

/**
 * How long a transaction may wait for its own process, in milliseconds. A process that is frozen, or whose host has
 * vanished, holds its locks for so long, and with them those of everybody who waits. It leaves room in the 35 s that are
 * promised after a crash, and is two hundred times what an event loop may be blocked for.
 */
const abandonedMs = 10_000;

/** Settings of each session. What the server has sent and nobody takes is no idling: there TCP has to give up. */
const session = [
  `tcp_user_timeout=${abandonedMs}`,
  "tcp_keepalives_idle=10",
  "tcp_keepalives_interval=2",
  "tcp_keepalives_count=3",
];

/** The one pool of a process. It never waits for ever: after some seconds without a connection there is an error. */
export function createPool(databaseUrl: string, options: PoolOptions): pg.Pool {
  const {
    statementTimeoutMs = 30_000,
    connectMs = 5_000,
    idleInTransactionMs = abandonedMs,
  } = options;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: options.max,
    application_name: `carillon ${options.name}`,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // Statements that do not wait for each other's answers go out at once; they still run in order.
    pipeline: true,
    statement_timeout: statementTimeoutMs,
    // A socket whose other end has vanished tells nothing: our own clock gives up on it.
    ...(statementTimeoutMs > 0 ? { query_timeout: statementTimeoutMs + 5_000 } : {}),
    idle_in_transaction_session_timeout: idleInTransactionMs,
    options: session.map((setting) => `-c ${setting}`).join(" "),
    types,
    Client: PoolClient,
  });
  // A connection that breaks, idle or between two statements, shows in the next statement or is replaced; without
  // listeners it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    // Goes out with whatever comes first. Older servers do not know it, and would refuse it as a start-up option.
    if (options.transactionTimeoutMs !== undefined)
      client.query(`SET transaction_timeout = ${options.transactionTimeoutMs}`).catch(() => {});
  });
  return pool;
}
