/** The servers that `npm test` starts; Redis only if it is installed. */

/**
 * The PostgreSQL server, with the database to administer it from.
 * @throws Error that explains how to provide one
 */
export function postgresUrl(): string {
  const url = process.env["CARILLON_TEST_DATABASE_URL"];
  if (url) return url;
  throw new Error(
    "there is no PostgreSQL for the tests: run them with `npm test`, or set CARILLON_TEST_DATABASE_URL",
  );
}

/** The Redis server, or undefined if there is none. */
export function redisUrl(): string | undefined {
  return process.env["CARILLON_TEST_REDIS_URL"] || undefined;
}

/** A folder that is removed at the end of the run, or undefined if the servers were started by other means. */
export function runFolder(): string | undefined {
  return process.env["CARILLON_TEST_FOLDER"] || undefined;
}

/** The address of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
