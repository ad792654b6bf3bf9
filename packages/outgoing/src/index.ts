export * from "./addresses.ts";
export * from "./check-url.ts";
export * from "./client.ts";
export * from "./config.ts";
export * from "./sign.ts";
