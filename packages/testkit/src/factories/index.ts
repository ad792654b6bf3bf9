export * from "./account.ts";
export * from "./channel.ts";
export * from "./crowd.ts";
export * from "./group.ts";
export * from "./muting.ts";
export * from "./organization.ts";
export * from "./scheduled-message.ts";
export * from "./unique.ts";
