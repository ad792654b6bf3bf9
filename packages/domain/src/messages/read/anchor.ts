import { errors } from "@carillon/contract";

/** The anchor beyond every message: 10^16, exact as a double and as a `bigint`. */
export const largestAnchor = 10_000_000_000_000_000;

export type Anchor =
  | { readonly kind: "id"; readonly id: number }
  | { readonly kind: "first_unread" }
  /** Milliseconds since the UNIX epoch. */
  | { readonly kind: "date"; readonly time: number };

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

const isoDate =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * Milliseconds since the UNIX epoch of an ISO 8601 date or time; without a zone it is UTC.
 * @throws ApiError `BAD_REQUEST`
 */
export function parseAnchorDate(text: string | undefined): number {
  if (text === undefined) throw errors.badRequest("anchor_date is required with anchor=date");
  const match = isoDate.exec(text.trim());
  const time = match ? timeOf(match) : Number.NaN;
  if (Number.isNaN(time))
    throw errors.badRequest(
      "anchor_date must be an ISO 8601 date or time, such as 2026-01-31T09:05Z",
    );
  return time;
}

function timeOf(match: RegExpExecArray): number {
  const [, year = "", month = "", day = "", hour = "00", minute = "00", second = "00"] = match;
  const fraction = (match[7] ?? "").padEnd(3, "0").slice(0, 3);
  // In this spelling the parser refuses what no calendar or clock has, but for the 30th of February and its like.
  const days = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(days.getTime()) || days.getUTCDate() !== Number(day)) return Number.NaN;
  return Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}${zone(match[8])}`,
  );
}

/** As `Date.parse` takes it: `+hh:mm`. */
function zone(text: string | undefined): string {
  if (text === undefined || text.toUpperCase() === "Z") return "Z";
  const digits = text.slice(1).replace(":", "").padEnd(4, "0");
  return `${text[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
