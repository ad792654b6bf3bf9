import { errors } from "@carillon/contract";
import { parseIso8601 } from "@carillon/kit";

/** The anchor beyond every message: 10^16, exact as a double and as a `bigint`. */
export const largestAnchor = 10_000_000_000_000_000;

export type Anchor =
  | { readonly kind: "id"; readonly id: number }
  | { readonly kind: "first_unread" }
  /** Microseconds since the UNIX epoch. */
  | { readonly kind: "date"; readonly time: bigint };

/**
 * The anchor of a request (messages.md §1.1, §1.2). `use_first_unread_anchor` wins over `anchor`: a client of
 * old sends both, and would not live through an error.
 * @throws ApiError `BAD_REQUEST` when there is none, or none that can be used
 */
export function parseAnchor(sent: {
  anchor?: string | undefined;
  anchorDate?: string | undefined;
  useFirstUnreadAnchor?: boolean | undefined;
}): Anchor {
  if (sent.useFirstUnreadAnchor) return { kind: "first_unread" };
  switch (sent.anchor) {
    case undefined:
      throw errors.badRequest("anchor is required");
    case "oldest":
      return { kind: "id", id: 0 };
    case "newest":
      return { kind: "id", id: largestAnchor };
    case "first_unread":
      return { kind: "first_unread" };
    case "date":
      return { kind: "date", time: parseAnchorDate(sent.anchorDate) };
  }
  if (!/^-?[0-9]+$/.test(sent.anchor))
    throw errors.badRequest("anchor must be an integer, newest, oldest, first_unread or date");
  return { kind: "id", id: Math.min(Math.max(Number(sent.anchor), 0), largestAnchor) };
}

/**
 * @returns microseconds since the UNIX epoch
 * @throws ApiError `BAD_REQUEST`
 */
function parseAnchorDate(text: string | undefined): bigint {
  if (text === undefined) throw errors.badRequest("anchor_date is required with anchor=date");
  const time = parseIso8601(text.trim());
  if (time === undefined)
    throw errors.badRequest(
      "anchor_date must be an ISO 8601 date or time, such as 2026-01-31T09:05Z",
    );
  return time;
}
