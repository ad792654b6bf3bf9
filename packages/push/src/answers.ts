import { systemClock, parsedJson } from "@carillon/kit";
import * as z from "zod";

import {
  adminCodes,
  maxRetryAfterMs,
  type AdminCode,
  type BouncerFailure,
  type BouncerOutcome,
} from "./outcome.ts";
import type { Reply } from "./transport.ts";

/** Wait after a 429 without `Retry-After`, in milliseconds. */
const limitedMs = 10_000;

/**
 * Minimum wait after a 429, in milliseconds: such a call does not count as an attempt, so backoff does not slow it down.
 */
const minLimitedMs = 1_000;

/** Error codes that are passed on to clients; all others become `BAD_REQUEST`. */
const namedCodes = ["INVALID_BOUNCER_PUBLIC_KEY", "REQUEST_EXPIRED"];

const envelope = z.object({
  result: z.string(),
  code: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,59}$/)
    .optional(),
  "retry-after": z.number().optional(),
});

/** Tells from a reply whether the call is done, refused, or must be tried again (push.md §3, §4, §6). */
export function outcomeOf<Answer>(reply: Reply, answer: z.ZodType<Answer>): BouncerOutcome<Answer> {
  if ("lost" in reply) return { kind: "retry", at: "transport", reason: reply.lost };
  if ("broken" in reply) return { kind: "retry", at: "bouncer", reason: reply.broken };
  const body = parsedJson(reply.text);
  if (reply.status !== 200) return failure(reply, body);
  const parsed = answer.safeParse(body);
  const isSuccess = envelope.safeParse(body).data?.result === "success";
  return parsed.success && isSuccess
    ? { kind: "done", answer: parsed.data }
    : { kind: "retry", at: "bouncer", reason: "200 with an answer that is not a bouncer's" };
}

function failure(
  { status, retryAfter }: Extract<Reply, { readonly status: number }>,
  body: unknown,
): BouncerFailure {
  const said = envelope.safeParse(body).data;
  const code = said?.code;
  const reason = code === undefined ? `status ${status}` : `status ${status}, ${code}`;
  const wait = waitMs(retryAfter) ?? bounded((said?.["retry-after"] ?? Number.NaN) * 1_000);
  if (status === 429)
    return { kind: "limited", retryAfterMs: Math.max(minLimitedMs, wait ?? limitedMs), reason };
  if (status >= 500 || status === 408)
    return {
      kind: "retry",
      at: "bouncer",
      reason,
      ...(wait !== undefined && { retryAfterMs: wait }),
    };
  if (status < 400) return { kind: "adminActionRequired", code: "UNEXPECTED_STATUS", reason };
  const admin = status === 401 ? "INVALID_ZULIP_SERVER" : adminCodes.find((one) => one === code);
  if (admin) return { kind: "adminActionRequired", code: admin satisfies AdminCode, reason };
  return {
    kind: "permanent",
    code: namedCodes.find((one) => one === code) ?? "BAD_REQUEST",
    reason,
  };
}

/** Parses `Retry-After`, seconds or a date (RFC 9110, §10.2.3), into milliseconds; undefined if malformed. */
function waitMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return bounded(Number(header) * 1_000);
  return bounded(header.endsWith("GMT") ? Date.parse(header) - systemClock.now() : Number.NaN);
}

function bounded(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : Math.ceil(Math.min(Math.max(ms, 0), maxRetryAfterMs));
}
