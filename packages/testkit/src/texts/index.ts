export * from "./heavy-texts.ts";
export * from "./sequence.ts";
export * from "./slow-fragments.ts";
export * from "./slow-text.ts";
