import { errors, type WebhookConfig } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";
import type { Site } from "@carillon/model";

export const incomingWebhookBot = 2;

/** Maximum code points. */
const maxSecret = 200;

/**
 * Checks the secret of an incoming-webhook bot (bot-platform.md §1.1).
 * @param secret empty to remove it; undefined for no change
 * @throws ApiError `BAD_REQUEST` for a longer one, and for other bots
 */
export function checkWebhookSecret(
  botType: number | null,
  secret: string | undefined,
): string | undefined {
  if (secret === undefined) return undefined;
  if (botType !== incomingWebhookBot)
    throw errors.badRequest("Only incoming-webhook bots have a webhook_secret");
  if (isLongerThan(secret, maxSecret))
    throw errors.badRequest(`webhook_secret must not have more than ${maxSecret} characters`);
  return secret;
}

/** Returns the stored form of a secret; null for none. */
export function sealedSecret(
  { secrets }: Pick<Site, "secrets">,
  secret: string | undefined,
): Uint8Array<ArrayBuffer> | null {
  return secret ? secrets.seal(secret) : null;
}

/** Returns what answers show of a bot's secret. */
export function shownConfig(hasSecret: boolean): WebhookConfig {
  return hasSecret ? { webhook_secret: "********" } : {};
}
