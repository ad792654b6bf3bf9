/** Files that pass SQL to the driver themselves, each with the reason why the SQL is not a declared statement. */
export const handedOver: Readonly<Record<string, string>> = {
  "packages/db/src/sql.ts": "runs every declared statement",
  "packages/db/src/prisma-on-connection.ts": "runs Prisma's statements",
  "packages/db/src/tx.ts": "COMMIT",
  "packages/db/src/held-connection.ts": "ROLLBACK",
  "packages/db/src/pool.ts": "SET for a session",
  "packages/db/src/pooled-client.ts": "removes the names of statements",
  "packages/db/src/failover-connection.ts": "asks a new session for the history of its server",
  "packages/db/src/server-roles.ts": "asks each server alone whether it accepts writes",
  "packages/db/src/listen.ts": "LISTEN",
  "packages/db/src/database.ts": "asks whether the server answers",
  "packages/db/src/check-server.ts": "reads the server's version",
  "packages/db/src/ensure-database.ts": "CREATE DATABASE",
  "packages/db/src/store.ts": "asks whether the server answers",
  "packages/db/src/index-changes.ts": "CREATE INDEX CONCURRENTLY",
  "packages/db/src/migrations.ts": "creates the schema that statements need",
  "packages/queue/src/postgres.ts": "BullMQ's own tables",
  "packages/backup/src/connect.ts": "texts with table names, in a database without our tables",
  "packages/backup/src/copied-rows.ts": "COPY",
  "packages/backup/src/write-backup.ts": "COPY",
  "packages/moving/src/connect.ts": "runs statements with names of tables in their text",
  "apps/cli/src/doctor/database.ts": "reads the server's version",
  "apps/cli/src/doctor/pooler.ts": "reads the process id of the server",
  "apps/cli/src/files/alone.ts": "takes a lock for a session",
  "packages/embedded/src/start.ts": "SHOW, before our database exists",
  "apps/worker/src/health-probe.ts": "texts of declared statements, on a separate connection",
};

/** A literal text in place of a declared statement: `rows("SELECT …")`, `lock({ … }, "SELECT …")`. */
const literal =
  /\.(?:rows|first|count|lock|sendWithCommit)(?:<[^(;]*>)?\(\s*(?:\{[^{}]*\},\s*)?["'`]/g;

/** SQL through Prisma, whose rows no declaration describes. */
const raw = /\$(?:query|execute)Raw/g;

/** The driver's method, called or passed as a value. As a type (`pg.Pool["query"]`) it is harmless. */
const driver = /\.query\b/g;

/** Removes comment lines. */
const code = (text: string) => text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");

/** Returns the faults of the SQL in a file of production code, one line each. */
export function bareSql({ path, text }: { path: string; text: string }): string[] {
  const source = code(text);
  const found = (pattern: RegExp) => source.match(pattern)?.length ?? 0;
  const bare = found(literal) + found(raw);
  const calls = path in handedOver ? 0 : found(driver);
  return [
    ...(bare > 0 ? [`${path} runs ${bare} texts that are not declared statements`] : []),
    ...(calls > 0 ? [`${path} passes SQL to the driver itself`] : []),
  ];
}
