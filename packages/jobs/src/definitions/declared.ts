// Generated from the files of this folder by `npm run generate`; do not edit.
export * from "./delete-messages-step.ts";
export * from "./delete-messages.ts";
export * from "./deliver-due.ts";
export * from "./forget-legacy-tokens.ts";
export * from "./mark-read.ts";
export * from "./plan-pushes.ts";
export * from "./register-push-token.ts";
export * from "./remove-pushes.ts";
export * from "./send-mail.ts";
export * from "./send-notice.ts";
export * from "./send-pushes.ts";
