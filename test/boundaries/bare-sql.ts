/** The files that hand SQL to the driver themselves, with the reason why it is no declared statement. */
export const handedOver: Readonly<Record<string, string>> = {
  "packages/db/src/sql.ts": "the one way of all that is declared",
  "packages/db/src/prisma-on-connection.ts": "Prisma's way",
  "packages/db/src/tx.ts": "COMMIT",
  "packages/db/src/held-connection.ts": "ROLLBACK",
  "packages/db/src/pool.ts": "SET, of a session",
  "packages/db/src/listen.ts": "LISTEN",
  "packages/db/src/database.ts": "asks whether the server answers",
  "packages/db/src/check-server.ts": "asks what the server is",
  "packages/db/src/ensure-database.ts": "CREATE DATABASE",
  "packages/db/src/store.ts": "asks whether there is a server",
  "packages/db/src/index-changes.ts": "CREATE INDEX CONCURRENTLY",
  "packages/db/src/migrations.ts": "makes the schema that statements need",
  "packages/queue/src/postgres.ts": "the tables of BullMQ, which are its own",
  "packages/backup/src/connect.ts": "texts with names of tables, in a database that has none yet",
  "packages/backup/src/copied-rows.ts": "COPY",
  "packages/backup/src/write-backup.ts": "COPY",
  "apps/cli/src/doctor/database.ts": "asks what the server is",
  "packages/embedded/src/start.ts": "SHOW, before there is a database of ours",
  "apps/worker/src/health-probe.ts":
    "the texts of declared statements, over a connection of its own",
};

/** A literal text where a declared statement belongs: `rows("SELECT …")`, `lock({ … }, "SELECT …")`. */
const literal =
  /\.(?:rows|first|count|lock|sendWithCommit)(?:<[^(;]*>)?\(\s*(?:\{[^{}]*\},\s*)?["'`]/g;

/** SQL through Prisma, which nobody describes. */
const raw = /\$(?:query|execute)Raw/g;

/** The driver's own way, called or passed on; as a type (`pg.Pool["query"]`) it does nothing. */
const driver = /\.query\b/g;

/** Lines that are no comment. */
const code = (text: string) => text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");

/** What is wrong with the SQL of a file of production code, a line each. */
export function bareSql({ path, text }: { path: string; text: string }): string[] {
  const source = code(text);
  const found = (pattern: RegExp) => source.match(pattern)?.length ?? 0;
  const bare = found(literal) + found(raw);
  const calls = path in handedOver ? 0 : found(driver);
  return [
    ...(bare > 0 ? [`${path} runs ${bare} texts that are no declared statements`] : []),
    ...(calls > 0 ? [`${path} hands SQL to the driver itself`] : []),
  ];
}
