import { errors, type NarrowTerm, type ProgramNeed } from "@carillon/contract";
import { parseIso8601 } from "@carillon/kit";

import { checkTerms } from "./narrow/compile.ts";

/** An anchor greater than every message id: 10^16, exact as a double and as a `bigint`. */
export const maxAnchor = 10_000_000_000_000_000;

export type Anchor =
  | { readonly kind: "id"; readonly id: number }
  | { readonly kind: "first_unread" }
  /** Microseconds since the UNIX epoch. */
  | { readonly kind: "date"; readonly time: bigint };

/**
 * Parses the anchor of a request (messages.md §1.1, §1.2). `use_first_unread_anchor` takes precedence over `anchor`,
 * because old clients send both and cannot handle an error.
 * @throws ApiError `BAD_REQUEST` if the anchor is missing or invalid
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
      return { kind: "id", id: maxAnchor };
    case "first_unread":
      return { kind: "first_unread" };
    case "date":
      return { kind: "date", time: parseAnchorDate(sent.anchorDate) };
  }
  if (!/^-?[0-9]+$/.test(sent.anchor))
    throw errors.badRequest("anchor must be an integer, newest, oldest, first_unread or date");
  return { kind: "id", id: Math.min(Math.max(Number(sent.anchor), 0), maxAnchor) };
}

/**
 * Parses `anchor_date`.
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

/** The parameters of `GET /messages`; undefined if not sent. */
export interface MessagesRequest {
  readonly anchor?: string | undefined;
  readonly anchorDate?: string | undefined;
  readonly includeAnchor?: boolean | undefined;
  readonly useFirstUnreadAnchor?: boolean | undefined;
  readonly numBefore?: number | undefined;
  readonly numAfter?: number | undefined;
  readonly messageIds?: readonly number[] | undefined;
  readonly narrow: readonly NarrowTerm[];
  /** Needs of the client program; none if undefined. */
  readonly needs?: readonly ProgramNeed[];
}

/** The requested messages: by id, or a window around an anchor. */
export type RequestedMessages =
  | { readonly kind: "ids"; readonly ids: readonly number[] }
  | {
      readonly kind: "window";
      readonly anchor: Anchor;
      readonly numBefore: number;
      readonly numAfter: number;
      readonly includeAnchor: boolean;
    };

/** Maximum messages of one request. */
export const maxMessages = 5000;

/**
 * Makes the first checks of a request, in the order of messages.md §1.1: types, parameters that exclude `message_ids`,
 * the anchor.
 * @throws ApiError
 */
export function readRequest(request: MessagesRequest): RequestedMessages {
  checkTerms(request.narrow);
  const { messageIds, numBefore, numAfter } = request;
  if (messageIds) {
    rejectWithMessageIds(request);
    return { kind: "ids", ids: messageIds };
  }
  if (numBefore === undefined) throw errors.requestVariableMissing("num_before");
  if (numAfter === undefined) throw errors.requestVariableMissing("num_after");
  const anchor = parseAnchor(request);
  return {
    kind: "window",
    anchor,
    numBefore,
    numAfter,
    includeAnchor: request.includeAnchor ?? true,
  };
}

function rejectWithMessageIds(request: MessagesRequest): void {
  const sent = [
    ["anchor", request.anchor],
    ["include_anchor", request.includeAnchor],
    ["use_first_unread_anchor", request.useFirstUnreadAnchor],
    ["num_before", request.numBefore],
    ["num_after", request.numAfter],
  ] as const;
  const names = sent.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (names.length === 0) return;
  const parameters = names.join(", ");
  throw errors.badRequest(`message_ids cannot be combined with ${parameters}`, { parameters });
}

/**
 * Checks the number of messages. Called after the check of the narrow's `with` term, whose error comes first.
 * @throws ApiError
 */
export function checkAmount(wanted: RequestedMessages): void {
  const amount = wanted.kind === "ids" ? wanted.ids.length : wanted.numBefore + wanted.numAfter;
  if (amount > maxMessages)
    throw errors.badRequest(
      `At most ${maxMessages} messages can be requested at once, not ${amount}`,
    );
  if (wanted.kind === "ids" || wanted.includeAnchor) return;
  if (wanted.numBefore > 0 && wanted.numAfter > 0)
    throw errors.badRequest(
      "include_anchor must be true if the request wants messages both before and after the anchor",
    );
}
