import { changeDatabaseUrl, databaseName, StartupError } from "@carillon/kit";
import pg from "pg";

import { DatabaseClient } from "./database-client.ts";

/** SQLSTATE of a database that does not exist, and of one that exists already. */
const missing = "3D000";
const exists = "42P04";

/**
 * Creates the database of the URL if it does not exist, through the database `postgres`.
 * @param variable the variable that names the database, for the error
 * @throws StartupError when it is missing and cannot be created
 */
export async function ensureDatabase(databaseUrl: string, variable: string): Promise<void> {
  const name = databaseName(databaseUrl);
  const found = await run(databaseUrl, "SELECT 1");
  // Connecting reports any other problem.
  if (found !== missing || name === "") return;
  const server = changeDatabaseUrl(databaseUrl, (url) => (url.pathname = "/postgres"));
  const refusal = await run(server, `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  if (refusal === undefined || refusal === exists) return;
  throw new StartupError(
    `${variable}: database ${name} does not exist and cannot be created (${refusal}): create it, for example with createdb`,
  );
}

/** Runs one statement; returns the SQLSTATE or message of its error, undefined if it succeeded. */
async function run(url: string, text: string): Promise<string | undefined> {
  const client = new DatabaseClient({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: "carillon migrate",
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(text);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? (error as Error).message;
  } finally {
    await client.end().catch(() => {});
  }
}
