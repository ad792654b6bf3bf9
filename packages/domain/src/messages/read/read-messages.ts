import { type Reader, loadRealm, presentMessage } from "@carillon/model";

import type { MessageResource } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";

import { findMessages, foundInRefusedChannel } from "./find-messages.ts";
import { hydrate, type HydratedMessage } from "./hydrate.ts";
import { matchesOf, type Match, type Matching } from "./matches.ts";
import { compileNarrow } from "./narrow/compile.ts";
import { narrowLookups } from "./narrow/lookups.ts";
import { followWith } from "./narrow/with.ts";
import { checkAmount, readRequest, type MessagesRequest } from "./request.ts";

/** The answer of `GET /messages`, in wire spelling. */
export interface MessagesAnswer {
  /** Absent when messages were asked for by ID. */
  anchor?: number;
  found_anchor: boolean;
  found_oldest: boolean;
  found_newest: boolean;
  history_limited: boolean;
  messages: MessageResource[];
}

/**
 * Retrieves messages (messages.md §1, §2). The number of statements depends neither on the messages nor on the
 * narrow's terms.
 *
 * @param sql a transaction, repeatable read and read only: what is edited or deleted meanwhile must not leak into half of an answer
 * @throws ApiError `BAD_REQUEST`, `REQUEST_VARIABLE_MISSING`, `BAD_NARROW`
 */
export async function readMessages(
  sql: Sql,
  viewer: Reader,
  request: MessagesRequest,
): Promise<MessagesAnswer> {
  const wanted = readRequest(request);
  const terms = await followWith(sql, viewer, request.narrow);
  checkAmount(wanted);
  const realm = await loadRealm(sql, viewer.realmId);
  const lookups = narrowLookups(sql, viewer);
  const narrow = await compileNarrow(terms, { viewer, realm, lookups });
  const found =
    narrow.channel === "refused"
      ? foundInRefusedChannel(wanted)
      : await findMessages(sql, { viewer, narrow }, wanted);
  const messages = await hydrate(sql, viewer, found.ids);
  return {
    ...(found.anchor === undefined ? {} : { anchor: found.anchor }),
    found_anchor: found.foundAnchor,
    found_oldest: found.foundOldest,
    found_newest: found.foundNewest,
    history_limited: false,
    messages: withMatches(
      await inSlices(messages, ({ message, flags }) =>
        presentMessage(message, flags, { realm, viewer, ...request }),
      ),
      narrow.search && (await matchesOf(sql, narrow.search, messages.map(matchingOf))),
    ),
  };
}

function matchingOf({ message: { place, renderedContent } }: HydratedMessage): Matching {
  return { topic: "topic" in place ? place.topic : "", renderedContent };
}

function withMatches(
  messages: MessageResource[],
  matches: readonly Match[] | undefined,
): MessageResource[] {
  return matches ? messages.map((message, i) => ({ ...message, ...matches[i] })) : messages;
}
