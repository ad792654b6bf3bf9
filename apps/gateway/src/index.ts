export * from "./app.ts";
export * from "./http/actor.ts";
export * from "./http/handler.ts";
export * from "./http/limit.ts";
export * from "./http/load-handlers.ts";
export * from "./http/server.ts";
export type { Services } from "./services.ts";
export * from "./wire.ts";
export type * from "./statement-rows.ts";
