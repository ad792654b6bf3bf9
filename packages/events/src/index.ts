export * from "./emit.ts";
export * from "./queue-options.ts";
