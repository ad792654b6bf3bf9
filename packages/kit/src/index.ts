export * from "./child-environment.ts";
export * from "./clock.ts";
export * from "./code-points.ts";
export * from "./environment.ts";
export * from "./keys.ts";
export * from "./logger.ts";
export * from "./shutdown.ts";
