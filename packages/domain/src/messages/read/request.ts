import { errors, type NarrowTerm, type ProgramNeed } from "@carillon/contract";

import type { Anchor } from "./anchor.ts";
import { parseAnchor } from "./anchor.ts";
import { checkTerms } from "./narrow/check-terms.ts";

/** What a client asks of `GET /messages`: undefined is what it left out. */
export interface MessagesRequest {
  readonly anchor?: string | undefined;
  readonly anchorDate?: string | undefined;
  readonly includeAnchor?: boolean | undefined;
  readonly useFirstUnreadAnchor?: boolean | undefined;
  readonly numBefore?: number | undefined;
  readonly numAfter?: number | undefined;
  readonly messageIds?: readonly number[] | undefined;
  readonly narrow: readonly NarrowTerm[];
  /** Of the program that asks; none unless given. */
  readonly needs?: readonly ProgramNeed[];
}

/** Which messages are wanted: these, or a window around an anchor. */
export type Wanted =
  | { readonly kind: "ids"; readonly ids: readonly number[] }
  | {
      readonly kind: "window";
      readonly anchor: Anchor;
      readonly numBefore: number;
      readonly numAfter: number;
      readonly includeAnchor: boolean;
    };

/** The most messages of one request. */
export const maxMessages = 5000;

/**
 * The first of the checks, in their order (messages.md §1.1): types, what does not go with `message_ids`, the anchor.
 * @throws ApiError
 */
export function readRequest(request: MessagesRequest): Wanted {
  checkTerms(request.narrow);
  const { messageIds, numBefore, numAfter } = request;
  if (messageIds) {
    refuseBesideIds(request);
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

function refuseBesideIds(request: MessagesRequest): void {
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
  throw errors.badRequest(`message_ids does not go together with ${parameters}`, { parameters });
}

/**
 * The checks that follow those of the narrow's `with`.
 * @throws ApiError
 */
export function checkAmount(wanted: Wanted): void {
  const amount = wanted.kind === "ids" ? wanted.ids.length : wanted.numBefore + wanted.numAfter;
  if (amount > maxMessages)
    throw errors.badRequest(`At most ${maxMessages} messages can be had at once, not ${amount}`);
  if (wanted.kind === "ids" || wanted.includeAnchor) return;
  if (wanted.numBefore > 0 && wanted.numAfter > 0)
    throw errors.badRequest(
      "include_anchor must be true where messages both before and after the anchor are wanted",
    );
}
