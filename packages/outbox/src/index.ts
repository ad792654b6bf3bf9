export * from "./add-jobs.ts";
export { type Batcher, createBatcher } from "./batcher.ts";
export * from "./clear-intents.ts";
export { storedReason } from "./intents.ts";
export { createIntentPublisher, intentPublications, publishInTime } from "./publish-intents.ts";
export * from "./record-intents.ts";
export * from "./relay-intents.ts";
export * from "./work-on-intent.ts";
export type * from "./statement-rows.ts";
