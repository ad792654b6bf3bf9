export * from "./bare-statements.ts";
export * from "./check-server.ts";
export * from "./composed.ts";
export { connectDatabase } from "./connect-database.ts";
export type { Database } from "./database.ts";
export { DatabaseClient } from "./database-client.ts";
export * from "./ensure-database.ts";
export * from "./request-deadline.ts";
export * from "./post-commit.ts";
export * from "./oldest-rows.ts";
export * from "./packed.ts";
export { PagedList, readList } from "./paged-list.ts";
export * from "./listen.ts";
export { type Lock, lockOrder } from "./lock-order.ts";
export * from "./locks.ts";
export { chatMigrations, type MigrationSet, readMigrations } from "./migration-files.ts";
export * from "./migrations.ts";
export type { TransactionPrisma } from "./prisma-on-connection.ts";
export { conflictOf, serverRoles, type ServerRole } from "./server-roles.ts";
export { pauseBeforeRetry } from "./retry-pause.ts";
export * from "./sql-errors.ts";
export {
  checkRowsWith,
  declaredStatements,
  statement,
  type DescribedStatement,
  type NamedStatement,
  type RowOf,
  type Statement,
} from "./statement.ts";
export * from "./row-types.ts";
export * from "./store.ts";
export * from "./in-one-statement.ts";
export type { Sql } from "./sql.ts";
export type { TransactionOptions, Transacts } from "./transaction.ts";
export type { Tx } from "./tx.ts";
export type { Prisma } from "./generated/client.ts";
export type * from "./statement-rows.ts";
