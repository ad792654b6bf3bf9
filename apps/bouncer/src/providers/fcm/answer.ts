import * as z from "zod";
import type { Outcome } from "../provider.ts";

const refusal = z.object({
  error: z.object({
    status: z.string().optional(),
    message: z.string().optional(),
    details: z.array(z.unknown()).optional(),
  }),
});

const fcmError = z.object({ errorCode: z.string() });
const violations = z.object({ fieldViolations: z.array(z.object({ field: z.string() })) });

/** Interprets FCM's answer to `messages:send`; `credentials` means: retry with a new access token. */
export function outcomeOf(
  status: number,
  body: unknown,
): Outcome | { readonly kind: "credentials"; readonly why: string } {
  if (status === 200) return { kind: "sent" };
  const error = refusal.safeParse(body).data?.error;
  const details = error?.details ?? [];
  const code = firstOf(details, fcmError)?.errorCode ?? error?.status ?? "";
  const why = /^[A-Z_]{1,60}$/.test(code) ? `${status} ${code}` : String(status);
  if (status === 401) return { kind: "credentials", why };
  if (code === "UNREGISTERED") return { kind: "dead", why };
  if (status === 400 && code === "INVALID_ARGUMENT") {
    const fields = firstOf(details, violations)?.fieldViolations.map(({ field }) => field);
    // INVALID_ARGUMENT covers every fault of a message, not only its token.
    const ofToken = fields
      ? fields.some((field) => /(^|\.)token$/.test(field))
      : /registration token/i.test(error?.message ?? "");
    return { kind: ofToken ? "dead" : "refused", why };
  }
  // 404 without a code: the project does not exist. An operator can fix that, like a wrong account (403).
  if (status === 403 || status === 404 || status === 408 || status === 429 || status >= 500)
    return { kind: "undelivered", why };
  return { kind: "refused", why };
}

function firstOf<Found>(details: readonly unknown[], shape: z.ZodType<Found>): Found | undefined {
  for (const detail of details) {
    const { data } = shape.safeParse(detail);
    if (data !== undefined) return data;
  }
  return undefined;
}
