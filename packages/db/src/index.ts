export * from "./alarms.ts";
export * from "./counters.ts";
export * from "./database.ts";
export * from "./heartbeats.ts";
export * from "./intents.ts";
export * from "./locks.ts";
export * from "./migrations.ts";
export * from "./transaction.ts";
export { Prisma } from "./generated/client.ts";
