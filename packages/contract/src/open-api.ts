import type { Operation } from "./operation.ts";

export function openApi(
  operations: readonly Operation[],
  options: { title: string; version: string; serverUrl: string },
): object {
  return {
    openapi: "3.0.3",
    info: { title: options.title, version: options.version },
    servers: [{ url: options.serverUrl }],
    paths: {},
    x: operations.length,
  };
}
