export { prepareDataDir } from "./data-dir.ts";
export { freePort } from "./free-port.ts";
export { type InstanceLock, lockInstance, tryLockInstance } from "./instance-lock.ts";
export { deleteSecret, storeSecret, readOrCreateSecret, readSecret } from "./secrets.ts";
export { testSettings, type Settings } from "./settings.ts";
export { startEmbeddedPostgres, type EmbeddedPostgres } from "./start.ts";
