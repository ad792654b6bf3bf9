export * from "./app.ts";
export type { LoggedHandover } from "./providers/development.ts";
export * from "./providers/provider.ts";
export type { Services } from "./services.ts";
export { ensureKeyPair, listPublicKeys } from "./store/key-pairs.ts";
export { putServer } from "./store/servers.ts";
export * from "./start-bouncer.ts";
export type * from "./statement-rows.ts";
