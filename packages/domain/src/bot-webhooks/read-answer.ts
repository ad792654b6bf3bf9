import type { OutgoingOutcome } from "@carillon/outgoing";

import { interfaces } from "../bots/bot-service.ts";

/** The result of a call. */
export type Verdict =
  /** `reply`: Markdown that the bot sends; undefined for nothing. */
  | { readonly kind: "done"; readonly reply?: string }
  /** `counts`: whether it counts as an attempt; `waitMs`: milliseconds until the next one, else by the usual pauses. */
  | {
      readonly kind: "retry";
      readonly reason: string;
      readonly counts: boolean;
      readonly waitMs?: number;
    }
  | { readonly kind: "failed"; readonly reason: string };

/** Bytes of an answer that are read. */
export const maxAnswerBytes = 256 * 1024;

/** Bounds of the pause after a 429, and the pause without `Retry-After`, in milliseconds. */
const limited = { min: 1_000, max: 300_000, usual: 10_000 };

/** Interprets the outcome of a call (bot-platform.md §2.4). */
export function readAnswer(outcome: OutgoingOutcome, format: number): Verdict {
  switch (outcome.kind) {
    case "refused":
      return { kind: "failed", reason: outcome.reason };
    case "lost":
    case "broken":
      return { kind: "retry", reason: outcome.reason, counts: true };
    case "answered":
      return readStatus(outcome, format);
  }
}

function readStatus(
  { status, retryAfterMs, body, isCut }: Extract<OutgoingOutcome, { kind: "answered" }>,
  format: number,
): Verdict {
  const reason = `status ${status}`;
  if (status === 429) {
    const waitMs = Math.min(Math.max(retryAfterMs ?? limited.usual, limited.min), limited.max);
    return { kind: "retry", reason, counts: false, waitMs };
  }
  if (status === 408 || status >= 500) return { kind: "retry", reason, counts: true };
  if (status < 200 || status >= 300) return { kind: "failed", reason };
  if (isCut)
    return {
      kind: "failed",
      reason: `${reason} with an answer of more than ${maxAnswerBytes} bytes`,
    };
  const text = new TextDecoder().decode(body).trim();
  if (text === "") return { kind: "done" };
  return (
    replyOf(text, format) ?? {
      kind: "failed",
      reason: `${reason} with an answer that is not JSON, or no object`,
    }
  );
}

/** Returns undefined for an answer that is malformed. */
function replyOf(text: string, format: number): Verdict | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (answer === "") return { kind: "done" };
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return undefined;
    const fields = new Map<string, unknown>(Object.entries(answer));
    if (fields.get("response_not_required") === true) return { kind: "done" };
    const said =
      fields.get("response_string") ?? fields.get(format === interfaces.slack ? "text" : "content");
    if (said === undefined || said === null) return { kind: "done" };
    // Deep nesting overflows the stack here, not in the parser.
    const reply = typeof said === "string" ? said : JSON.stringify(said);
    return reply.trim() === "" ? { kind: "done" } : { kind: "done", reply };
  } catch {
    return undefined;
  }
}
