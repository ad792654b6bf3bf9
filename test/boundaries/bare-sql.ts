/** Where production code hands SQL to the driver itself: how often, and why it is no declared statement. */
export const handedOver: Readonly<
  Record<string, { readonly calls: number; readonly why: string }>
> = {
  "packages/db/src/sql.ts": { calls: 1, why: "the one way of all that is declared" },
  "packages/db/src/prisma-on-connection.ts": { calls: 1, why: "Prisma's way" },
  "packages/db/src/tx.ts": { calls: 1, why: "COMMIT" },
  "packages/db/src/held-connection.ts": { calls: 1, why: "ROLLBACK" },
  "packages/db/src/pool.ts": { calls: 1, why: "SET, of a session" },
  "packages/db/src/listen.ts": { calls: 1, why: "LISTEN" },
  "packages/db/src/database.ts": {
    calls: 1,
    why: "asks whether the server answers",
  },
  "packages/db/src/check-server.ts": { calls: 1, why: "asks what the server is" },
  "packages/db/src/ensure-database.ts": { calls: 1, why: "CREATE DATABASE" },
  "packages/db/src/store.ts": { calls: 1, why: "asks whether there is a server" },
  "packages/db/src/migrations.ts": { calls: 10, why: "makes the schema that statements need" },
  "packages/queue/src/postgres.ts": { calls: 2, why: "the tables of BullMQ, which are its own" },
  "packages/backup/src/connect.ts": {
    calls: 1,
    why: "texts with names of tables, in a database that has none yet",
  },
  "packages/backup/src/copied-rows.ts": { calls: 1, why: "COPY" },
  "packages/backup/src/write-backup.ts": { calls: 1, why: "COPY" },
  "apps/cli/src/doctor/database.ts": { calls: 1, why: "asks what the server is" },
  "packages/embedded/src/start.ts": { calls: 1, why: "SHOW, before there is a database of ours" },
  "apps/worker/src/health-probe.ts": {
    calls: 2,
    why: "the texts of declared statements, over a connection of its own",
  },
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
  const [calls, allowed] = [found(driver), handedOver[path]?.calls ?? 0];
  return [
    ...(bare > 0 ? [`${path} runs ${bare} texts that are no declared statements`] : []),
    ...(calls === allowed
      ? []
      : [`${path} hands SQL to the driver ${calls} times, and should ${allowed} times`]),
  ];
}
