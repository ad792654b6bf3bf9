import { DatabaseClient, unreachable } from "@carillon/db";
import type pg from "pg";

/** Makes the text form of values independent of the settings of database and role. */
const settings = [
  "SET statement_timeout = 0",
  "SET idle_in_transaction_session_timeout = 0",
  "SET lock_timeout = '60s'",
  "SET client_encoding = 'UTF8'",
  "SET search_path = public",
  "SET DateStyle = 'ISO'",
  "SET TimeZone = 'UTC'",
  "SET extra_float_digits = 3",
  "SET bytea_output = 'hex'",
  // A slice of an import that is lost in a crash is imported again.
  "SET synchronous_commit = off",
];

/**
 * Runs `work` on a new connection, without statement timeouts, and closes it.
 * @throws StartupError naming DATABASE_URL when the server cannot be reached
 */
export async function onConnection<Result>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new DatabaseClient({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    // Files may take hours between two statements, and firewalls close silent connections after minutes.
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
    application_name: "carillon organization",
  });
  client.on("error", () => {});
  await client.connect().catch((error: Error) => {
    throw unreachable(databaseUrl, error);
  });
  try {
    for (const text of settings) await ask(client, text);
    return await work(client);
  } finally {
    // Closing the connection rolls back an open transaction.
    await client.end();
  }
}

/** Runs SQL. Its statements are not declared, because most of them contain names of tables. */
export async function ask<Row extends object>(
  client: pg.Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await client.query<Row>(text, [...values]);
  return rows;
}

/** Runs `work` in a transaction. */
export async function inTransaction<Result>(
  client: pg.Client,
  work: () => Promise<Result>,
): Promise<Result> {
  await ask(client, "BEGIN");
  try {
    const result = await work();
    await ask(client, "COMMIT");
    return result;
  } catch (error) {
    await ask(client, "ROLLBACK").catch(() => {});
    throw error;
  }
}
