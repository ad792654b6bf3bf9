export { prepareDataDir } from "./data-dir.ts";
export { freePort } from "./free-port.ts";
export { keepSecret, keptSecret, type SecretName } from "./secrets.ts";
export { durableSettings, testSettings, type Settings } from "./settings.ts";
export { startEmbeddedPostgres, type EmbeddedPostgres } from "./start.ts";
