export * from "./choose.ts";
export * from "./mail.ts";
