import { parsedJson } from "@carillon/kit";
import * as z from "zod";
import type { Outcome } from "../provider.ts";

const refusal = z.object({
  reason: z.string().regex(/^[A-Za-z]{1,60}$/),
  /** Milliseconds of the epoch since which the token is invalid; with status 410. */
  timestamp: z.number().optional(),
});

/** Errors that only an operator can fix: credentials, or the app they are for. */
const operatorErrors = [
  "BadCertificate",
  "BadCertificateEnvironment",
  "Forbidden",
  "InvalidProviderToken",
  "MissingProviderToken",
  "TopicDisallowed",
  "UnrelatedKeyIdInToken",
  "BadEnvironmentKeyIdInToken",
];

/**
 * Interprets APNs' answer; `credentials` means: retry with a new provider token.
 * @param registeredAt when the device was last registered; older information of APNs is ignored
 */
export function outcomeOf(
  status: number,
  body: string,
  registeredAt: Date,
): Outcome | { readonly kind: "credentials"; readonly why: string } {
  if (status === 200) return { kind: "sent" };
  const { reason = "", timestamp } = refusal.safeParse(parsedJson(body)).data ?? {};
  const why = reason === "" ? String(status) : `${status} ${reason}`;
  if (reason === "ExpiredProviderToken") return { kind: "credentials", why };
  if (status === 410) {
    const hasRegisteredSince = timestamp !== undefined && registeredAt.getTime() > timestamp;
    return { kind: hasRegisteredSince ? "refused" : "dead", why };
  }
  if (reason === "BadDeviceToken" || reason === "DeviceTokenNotForTopic")
    return { kind: "dead", why };
  if (status === 429 || status >= 500 || operatorErrors.includes(reason))
    return { kind: "undelivered", why };
  return { kind: "refused", why };
}
