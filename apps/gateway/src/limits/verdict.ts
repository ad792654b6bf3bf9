import type { LimitVerdict } from "../http/limit.ts";
import type { BucketState } from "./bucket.ts";

/** Makes the verdict on a request from the state of its bucket. */
export function verdictOf({
  limit,
  remaining,
  freeAt,
  blockedMs,
  admitted,
}: BucketState & { readonly admitted: boolean }): LimitVerdict {
  const shown = { limit, remaining, reset: Math.ceil(freeAt / 1_000) };
  return admitted ? shown : { ...shown, retryAfter: Math.ceil(blockedMs) / 1_000 };
}
