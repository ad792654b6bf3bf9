// Generated from the files of this folder by `npm run generate`; do not edit.
export * from "./channel-upkeep.ts";
export * from "./clear-archive.ts";
export * from "./clear-events.ts";
export * from "./clear-failures.ts";
export * from "./clear-intents.ts";
export * from "./clear-rate-hits.ts";
export * from "./count-traffic.ts";
export * from "./expire-push-registrations.ts";
export * from "./file-words.ts";
export * from "./fold-deliveries.ts";
export * from "./heartbeat.ts";
export * from "./index-messages.ts";
export * from "./promote-full-members.ts";
export * from "./relay.ts";
export * from "./retention.ts";
export * from "./sweep.ts";
