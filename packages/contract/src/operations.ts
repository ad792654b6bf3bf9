/** Every declared operation, one line a file: what is missing here is not served. */

export * from "./messages/render.ts";
export * from "./messages/send.ts";
export * from "./scheduled-messages/create.ts";
export * from "./scheduled-messages/delete.ts";
export * from "./scheduled-messages/edit.ts";
export * from "./scheduled-messages/list.ts";
export * from "./messages/get.ts";
