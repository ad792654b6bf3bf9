import type { Client, GetMessagesParams, GetMessagesResult } from "@carillon/client";
import type { Route, Term } from "../route.ts";

type Source = Pick<Client, "getMessages">;

interface FirstRequest {
  readonly params: string;
  readonly answer: Promise<GetMessagesResult>;
}

/** Messages before and after the one at which a view opens. */
const around = 50;

const sent = new WeakMap<Source, FirstRequest>();

/**
 * Requests the messages of a page before the page is drawn, because drawing would delay the request. The caller has
 * registered an event queue, so that the client misses no later message. A second call replaces the request of the first.
 */
export function sendFirstRequest(client: Source, page: Route): void {
  sent.delete(client);
  if (page.page !== "messages") return;
  const params = openingParams(page.terms, openingAnchor(page.near));
  const answer = client.getMessages(params);
  // The view shows the failure.
  answer.catch(() => {});
  sent.set(client, { params: JSON.stringify(params), answer });
}

/** Drops the request if no view has used it yet. Its answer lacks the changes that later events tell of. */
export function dropFirstRequest(client: Source): void {
  sent.delete(client);
}

/** Requests messages. If `sendFirstRequest` has sent the same request, returns the answer to it, once. */
export function requestMessages(
  client: Source,
  params: GetMessagesParams,
): Promise<GetMessagesResult> {
  const first = sent.get(client);
  sent.delete(client);
  return first?.params === JSON.stringify(params) ? first.answer : client.getMessages(params);
}

/** Returns the anchor at which a view opens: the given message, or else the first unread one. */
export function openingAnchor(near: number | null): string {
  return near === null ? "first_unread" : String(near);
}

/** Returns the parameters of the request with which a view opens. */
export function openingParams(terms: readonly Term[], anchor: string): GetMessagesParams {
  return pageParams(terms, { anchor, num_before: around, num_after: around });
}

/** Returns the parameters of a request for messages of a view. */
export function pageParams(
  terms: readonly Term[],
  which: Pick<
    GetMessagesParams,
    "anchor" | "num_before" | "num_after" | "include_anchor" | "message_ids"
  >,
): GetMessagesParams {
  return { ...which, narrow: terms, allow_empty_topic_name: true, client_gravatar: false };
}
