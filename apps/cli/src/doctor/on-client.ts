import { DatabaseClient, unreachable } from "@carillon/db";
import type pg from "pg";

/**
 * Runs `work` on a short-lived connection.
 * @throws StartupError naming DATABASE_URL when the server does not answer
 */
export async function onClient<Result>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new DatabaseClient({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
    application_name: "carillon doctor",
  });
  client.on("error", () => {});
  await client.connect().catch((error: Error) => {
    throw unreachable(databaseUrl, error);
  });
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
