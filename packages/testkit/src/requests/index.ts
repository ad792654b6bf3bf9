export * from "./answers.ts";
export * from "./delivery.ts";
export * from "./failures.ts";
export * from "./refusal.ts";
export * from "./registering.ts";
export * from "./scheduling.ts";
export * from "./sending.ts";
export * from "./watching.ts";
