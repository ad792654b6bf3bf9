// Generated from the files of this folder by `npm run generate`; do not edit.
export * from "./deliver-due.ts";
export * from "./mark-read.ts";
export * from "./send-mail.ts";
export * from "./send-notice.ts";
