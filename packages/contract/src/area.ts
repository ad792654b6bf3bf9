import type { Operation } from "./operation.ts";

/** What an operation is about: the first segment of its path below the API's prefix. */
export function areaOf(operation: Operation): string {
  return /^(?:\/api\/v1)?\/([^/]+)/.exec(operation.path)?.[1] ?? "other";
}
