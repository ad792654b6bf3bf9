export * from "./jobs/index.ts";
export * from "./processor.ts";
export * from "./relay.ts";
export * from "./runner.ts";
export * from "./services.ts";
export * from "./sweep.ts";
