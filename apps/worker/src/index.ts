export * from "./jobs/index.ts";
export * from "./processor.ts";
export * from "./recurring/index.ts";
export * from "./recurring/relay.ts";
export * from "./recurring/sweep.ts";
export * from "./runner.ts";
export * from "./services.ts";
