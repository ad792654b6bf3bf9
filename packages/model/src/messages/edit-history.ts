import { type EditHistoryEntry, type MessageResource, roles } from "@carillon/contract";
import { composed, type Sql } from "@carillon/db";

import { channelReadable, hasSharedHistorySql } from "../channels/access-sql.ts";
import type { EditHistoryPolicy } from "../realms.ts";
import { SqlValues } from "../sql-values.ts";
import type { Reader } from "./access.ts";
import { isResolveToggle } from "./topic.ts";

/** How a history is shown to a viewer. */
interface HistoryForm {
  readonly policy: EditHistoryPolicy;
  /** Returns how a topic is shown. */
  readonly showTopic: (topic: string) => string;
}

type EditFields = Pick<
  MessageResource,
  "last_edit_timestamp" | "last_moved_timestamp" | "edit_history"
>;

/**
 * Returns a message's history fields (messages.md §6.3); empty for an unchanged message.
 * @param history as stored, newest entry first; null if there is none
 */
export function editFields(
  history: readonly EditHistoryEntry[] | null,
  form: HistoryForm,
): EditFields {
  if (history === null || history.length === 0) return {};
  const edited = history.find(isContentEdit);
  const moved = history.find(isMove);
  return {
    ...(edited ? { last_edit_timestamp: edited.timestamp } : {}),
    ...(moved ? { last_moved_timestamp: moved.timestamp } : {}),
    ...(form.policy === "none"
      ? {}
      : {
          edit_history: visibleEntries(history, form.policy).map((entry) =>
            withShownTopics(entry, form.showTopic),
          ),
        }),
  };
}

/** Returns the entries, reduced to what the policy allows. */
export function visibleEntries(
  history: readonly EditHistoryEntry[],
  policy: EditHistoryPolicy,
): readonly EditHistoryEntry[] {
  if (policy === "all") return history;
  if (policy === "none") return [];
  return history
    .filter((entry) => entry.prev_topic !== undefined || entry.prev_stream !== undefined)
    .map(moveOnly);
}

/** Copies the fields of a move by name, so that fields added in the future stay hidden. */
function moveOnly(entry: EditHistoryEntry): EditHistoryEntry {
  const { user_id, timestamp, prev_topic, topic, prev_stream, stream } = entry;
  return {
    user_id,
    timestamp,
    ...(prev_topic === undefined ? {} : { prev_topic }),
    ...(topic === undefined ? {} : { topic }),
    ...(prev_stream === undefined ? {} : { prev_stream }),
    ...(stream === undefined ? {} : { stream }),
  };
}

function withShownTopics(
  entry: EditHistoryEntry,
  showTopic: HistoryForm["showTopic"],
): EditHistoryEntry {
  const { prev_topic, topic } = entry;
  return {
    ...entry,
    ...(prev_topic === undefined ? {} : { prev_topic: showTopic(prev_topic) }),
    ...(topic === undefined ? {} : { topic: showTopic(topic) }),
  };
}

function isContentEdit(entry: EditHistoryEntry): boolean {
  return entry.prev_content !== undefined;
}

/** Whether the entry is a move; only resolving or unresolving the topic is not. */
function isMove({ prev_stream, prev_topic, topic }: EditHistoryEntry): boolean {
  if (prev_stream !== undefined) return true;
  return prev_topic !== undefined && !isResolveToggle(prev_topic, topic ?? "");
}

type History = readonly EditHistoryEntry[] | null;

const readableOrigins = composed({
  name: "origins-of-moves-readable",
  compose: (viewer: Reader, channelIds: readonly number[]) => {
    const values = new SqlValues();
    const text = `SELECT c.id, ${hasSharedHistorySql} AS shared FROM channels c
      WHERE c.realm_id = ${values.add(viewer.realmId, "int")} AND c.id = ANY(${values.add(channelIds, "int[]")})
        AND ${channelReadable(viewer)(values)}`;
    return { text, values: values.list, recurs: true };
  },
  examples: (compose) =>
    [roles.member, roles.guest].map((role) =>
      compose({ id: 1, realmId: 1, role, isActive: true }, [1]),
    ),
});

/** A message's stored history, and whether the viewer has received the message. */
interface StoredHistory {
  readonly editHistory: History;
  readonly received: boolean;
}

/**
 * Truncates histories before the last move out of a channel that the viewer may not read now (messages.md §6.3): older
 * topics, contents and the channel itself are only for its readers, who must also have received the message if its
 * history is protected.
 * @returns a function that returns the visible history: newest entry first; null if nothing is left
 */
export async function loadHistoryShown(
  sql: Sql,
  viewer: Reader,
  histories: Iterable<History>,
): Promise<(stored: StoredHistory) => History> {
  const origins = new Set<number>();
  for (const history of histories)
    for (const { prev_stream } of history ?? [])
      if (prev_stream !== undefined) origins.add(prev_stream);
  if (origins.size === 0) return ({ editHistory }) => editHistory;
  const rows = await readableOrigins(sql, viewer, [...origins]);
  const shared = new Map(rows.map((row) => [row.id, row.shared]));
  return ({ editHistory, received }) => {
    const hidden = (editHistory ?? []).findIndex(
      ({ prev_stream }) =>
        prev_stream !== undefined &&
        !(shared.get(prev_stream) ?? false) &&
        !(shared.has(prev_stream) && received),
    );
    if (hidden < 0) return editHistory;
    return hidden === 0 ? null : (editHistory ?? []).slice(0, hidden);
  };
}
