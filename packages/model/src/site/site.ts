import type { Secrets } from "./secrets.ts";

/** What the rules know of the installation they run in; the same in every process. */
export interface Site {
  /** `PUBLIC_URL`: the address that clients use, without a slash at the end. */
  readonly url: string;
  /** Seals and digests API keys. */
  readonly secrets: Secrets;
  /** Whether `dev_fetch_api_key` is on. */
  readonly development: boolean;
  /** Whether a push service is configured. */
  readonly pushConfigured: boolean;
}
