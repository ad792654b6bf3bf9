import type { EditHistoryEntry, MessageResource } from "@carillon/contract";

import type { EditHistoryPolicy } from "../realms/realm.ts";
import { isResolveToggle } from "./resolved-topic.ts";

/** How somebody gets to see a history. */
export interface HistoryForm {
  readonly policy: EditHistoryPolicy;
  /** How a topic is shown. */
  readonly showTopic: (topic: string) => string;
}

type EditFields = Pick<
  MessageResource,
  "last_edit_timestamp" | "last_moved_timestamp" | "edit_history"
>;

/**
 * What a message says of its changes (messages.md §6.3); nothing of one that was never changed.
 * @param history as it is stored, the newest entry first; null without one
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

/** The entries that the policy leaves to see, as it leaves them. */
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

/** The fields of an entry that tell of a move, named one by one: what entries may have some day is not among them. */
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

/** Whether the message was moved; a topic that was only resolved, or is so no more, is not. */
function isMove({ prev_stream, prev_topic, topic }: EditHistoryEntry): boolean {
  if (prev_stream !== undefined) return true;
  return prev_topic !== undefined && !isResolveToggle(prev_topic, topic ?? "");
}
