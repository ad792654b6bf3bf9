import type { MessageResource, ProgramNeed } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import {
  accessMessages,
  loadRealm,
  type Presentation,
  presentMessage,
  type Reader,
  type Realm,
} from "@carillon/model";

import { findMessages, type Found, foundInRefusedChannel } from "./find-messages.ts";
import {
  hydrate,
  type LoadedMessages,
  loadMessages,
  type MessageRow,
  messagesAtOnce,
} from "./hydrate.ts";
import { type Match, matchesOf, type Matching } from "./match-messages.ts";
import { compileNarrow } from "./narrow/compile.ts";
import { narrowLookups } from "./narrow/lookups.ts";
import type { WordSearch } from "./narrow/operator.ts";
import { followWith } from "./narrow/operators.ts";
import { checkAmount, type MessagesRequest, readRequest } from "./request.ts";

/** The response of `GET /messages` in the wire format. */
interface MessagesAnswer {
  /** Absent if messages were requested by ID. */
  anchor?: number;
  found_anchor: boolean;
  found_oldest: boolean;
  found_newest: boolean;
  history_limited: boolean;
  messages: MessageResource[];
}

/** Some of the messages of a response, in order. */
interface MessagesPage {
  readonly loaded: LoadedMessages;
  /** The highlighted texts of each message; undefined without a search. */
  readonly matches: readonly Match[] | undefined;
}

/** The data for the response of `GET /messages`. */
export interface Retrieval {
  readonly realm: Realm;
  readonly found: Found;
  /** The first messages; `loaded.rest` are the ids for {@link readNextPage}. */
  readonly page: MessagesPage;
  readonly search: WordSearch | undefined;
  readonly needs: readonly ProgramNeed[];
}

/**
 * Retrieves messages (messages.md §1, §2). The number of statements depends neither on the messages nor on the narrow's
 * terms.
 *
 * @param sql a REPEATABLE READ, READ ONLY transaction, so that a concurrent edit or deletion cannot affect half of a
 * response
 * @returns the data for {@link presentMessages}, which needs no connection; only the first page of a long response
 * @throws ApiError `BAD_REQUEST`, `REQUEST_VARIABLE_MISSING`, `BAD_NARROW`
 */
export async function readMessages(
  sql: Sql,
  viewer: Reader,
  request: MessagesRequest,
): Promise<Retrieval> {
  const wanted = readRequest(request);
  const terms = await followWith(sql, viewer, request.narrow);
  checkAmount(wanted);
  const lookups = narrowLookups(sql, viewer);
  const realmRead = loadRealm(sql, viewer.realmId);
  const [realm, narrow] = await Promise.all([
    realmRead,
    compileNarrow(terms, { viewer, realm: realmRead, lookups }),
  ]);
  const found =
    narrow.channel === "refused"
      ? foundInRefusedChannel(wanted)
      : await findMessages(sql, { viewer, narrow }, wanted);
  const needs = request.needs ?? [];
  const page = await readPage(sql, viewer, found.ids, { search: narrow.search, needs });
  return { realm, found, page, search: narrow.search, needs };
}

/**
 * Reads the next messages of a long response in their current state. Skips messages that were deleted meanwhile or that
 * the viewer may no longer see.
 * @param sql as for {@link readMessages}
 * @param ids the previous page's `loaded.rest`
 */
export async function readNextPage(
  sql: Sql,
  viewer: Reader,
  retrieval: Pick<Retrieval, "search" | "needs">,
  ids: readonly number[],
): Promise<MessagesPage> {
  const accessible = await accessMessages(sql, viewer, ids.slice(0, messagesAtOnce));
  const { loaded, matches } = await readPage(sql, viewer, [...accessible.keys()], retrieval);
  const rest = [...loaded.rest, ...ids.slice(messagesAtOnce)];
  return { loaded: { ...loaded, rest }, matches };
}

async function readPage(
  sql: Sql,
  viewer: Reader,
  ids: readonly number[],
  { search, needs }: Pick<Retrieval, "search" | "needs">,
): Promise<MessagesPage> {
  const loaded = await loadMessages(sql, viewer, ids, needs);
  const matches = search && (await matchesOf(sql, search, loaded.rows.map(matchingOf)));
  return { loaded, matches };
}

/** Options of how messages are presented to one viewer. */
type Form = Omit<Presentation, "realm" | "viewer" | "userVisibility">;

/** Returns the response with the messages of the first page. Works in slices so that other requests can run. */
export async function presentMessages(
  retrieval: Retrieval,
  viewer: Reader,
  form: Form,
): Promise<MessagesAnswer> {
  const { found } = retrieval;
  return {
    ...(found.anchor === undefined ? {} : { anchor: found.anchor }),
    found_anchor: found.foundAnchor,
    found_oldest: found.foundOldest,
    found_newest: found.foundNewest,
    history_limited: false,
    messages: await presentPage(retrieval, retrieval.page, viewer, form),
  };
}

/** Returns the messages of one page in the wire format. */
export async function presentPage(
  { realm }: Pick<Retrieval, "realm">,
  { loaded, matches }: MessagesPage,
  viewer: Reader,
  form: Form,
): Promise<MessageResource[]> {
  const presentation = { ...form, realm, viewer, userVisibility: loaded.userVisibility };
  const messages = await inSlices(await hydrate(loaded), ({ message, flags }) =>
    presentMessage(message, flags, presentation),
  );
  if (matches) for (const [i, message] of messages.entries()) Object.assign(message, matches[i]);
  return messages;
}

function matchingOf({ channelId, topic, renderedContent }: MessageRow): Matching {
  return { topic: channelId === null ? "" : topic, renderedContent };
}
