export * from "./bouncer-migrations.ts";
export * from "./client.ts";
export * from "./config.ts";
export * from "./encrypt.ts";
export * from "./outcome.ts";
export * from "./requests.ts";
export * from "./sealed.ts";
export * from "./wire.ts";
