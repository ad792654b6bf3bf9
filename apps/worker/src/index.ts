export * from "./bouncer.ts";
export * from "./processor.ts";
export * from "./recurring.ts";
export { default as relayTask } from "./recurring/relay.ts";
export * from "./recurring/sweep.ts";
export * from "./runner.ts";
export * from "./services.ts";
export type * from "./statement-rows.ts";
