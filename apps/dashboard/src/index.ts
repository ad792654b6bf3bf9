export * from "./app.ts";
export * from "./credentials.ts";
export * from "./start-dashboard.ts";
export type * from "./statement-rows.ts";
