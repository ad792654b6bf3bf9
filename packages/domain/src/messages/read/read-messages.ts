import {
  type Presentation,
  type Reader,
  type Realm,
  loadRealm,
  presentMessage,
} from "@carillon/model";

import type { MessageResource } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";

import { type Found, findMessages, foundInRefusedChannel } from "./find-messages.ts";
import { type LoadedMessages, type MessageRow, hydrate, loadMessages } from "./hydrate.ts";
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

/** What the answer of `GET /messages` is made of. */
interface Retrieval {
  readonly realm: Realm;
  readonly found: Found;
  readonly loaded: LoadedMessages;
  /** Of each message what was searched for; undefined where nothing was. */
  readonly matches: readonly Match[] | undefined;
}

/**
 * Retrieves messages (messages.md §1, §2). The number of statements depends neither on the messages nor on the
 * narrow's terms.
 *
 * @param sql a transaction, repeatable read and read only: what is edited or deleted meanwhile must not leak into half of an answer
 * @returns what {@link presentMessages} makes the answer of, which needs no connection
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
  const loaded = await loadMessages(sql, viewer, found.ids, request.needs ?? []);
  const matches =
    narrow.search && (await matchesOf(sql, narrow.search, loaded.rows.map(matchingOf)));
  return { realm, found, loaded, matches };
}

/** The answer, in slices so that other requests get their turn. */
export async function presentMessages(
  { realm, found, loaded, matches }: Retrieval,
  viewer: Reader,
  form: Omit<Presentation, "realm" | "viewer" | "sight">,
): Promise<MessagesAnswer> {
  const presentation = { ...form, realm, viewer, sight: loaded.sight };
  const messages = await inSlices(await hydrate(loaded), ({ message, flags }) =>
    presentMessage(message, flags, presentation),
  );
  if (matches) for (const [i, message] of messages.entries()) Object.assign(message, matches[i]);
  return {
    ...(found.anchor === undefined ? {} : { anchor: found.anchor }),
    found_anchor: found.foundAnchor,
    found_oldest: found.foundOldest,
    found_newest: found.foundNewest,
    history_limited: false,
    messages,
  };
}

function matchingOf({ channelId, topic, renderedContent }: MessageRow): Matching {
  return { topic: channelId === null ? "" : topic, renderedContent };
}
