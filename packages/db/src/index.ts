export * from "./alarms.ts";
export * from "./bare-statements.ts";
export * from "./check-server.ts";
export * from "./composed.ts";
export { Column, column, type Columns, type RowOf } from "./column.ts";
export * from "./counters.ts";
export * from "./daily.ts";
export { connectDatabase, type Database } from "./database.ts";
export * from "./delivery-causes.ts";
export * from "./delivery-history.ts";
export * from "./ensure-database.ts";
export { type Fleet, readFleet } from "./fleet.ts";
export { type Lag, mostOverdue, readLag } from "./fleet-lag.ts";
export * from "./forget-alarms.ts";
export * from "./heartbeats.ts";
export * from "./intents/claim-intent.ts";
export * from "./intents/clear-intents.ts";
export * from "./intents/count-ended.ts";
export * from "./intents/do-intent.ts";
export * from "./intents/end-intent.ts";
export * from "./intents/overdue-intents.ts";
export type { QueuedIntent } from "./intents/queued-intent.ts";
export * from "./intents/record-intents.ts";
export * from "./intents/revive-intents.ts";
export * from "./intents/stamp-intents.ts";
export { storedReason } from "./intents/stored-reason.ts";
export * from "./intents/unqueued-intents.ts";
export * from "./leader.ts";
export * from "./lifetime.ts";
export { type LeftBehind, Outbox } from "./outbox.ts";
export * from "./packed.ts";
export { PagedList, readList } from "./paged-list.ts";
export * from "./pending.ts";
export * from "./listen.ts";
export { type Lock, lockOrder } from "./lock-order.ts";
export * from "./locks.ts";
export * from "./message-id-at.ts";
export * from "./migrations.ts";
export * from "./recurring-task.ts";
export type { TransactionPrisma } from "./prisma-on-connection.ts";
export * from "./share.ts";
export * from "./sql-errors.ts";
export * from "./start-recurring.ts";
export {
  checkRowsWith,
  declaredStatements,
  statement,
  type DeclaredStatement,
  type NamedStatement,
  type Statement,
} from "./statement.ts";
export * from "./store.ts";
export * from "./in-one-statement.ts";
export type { Sql } from "./sql.ts";
export type { TransactionOptions } from "./transaction.ts";
export type { Tx } from "./tx.ts";
export type { Prisma } from "./generated/client.ts";
