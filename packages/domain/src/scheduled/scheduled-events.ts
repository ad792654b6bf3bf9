import {
  type NewEvent,
  type ScheduledMessageResource,
  scheduledMessageRemoved,
  scheduledMessageUpdated,
  scheduledMessagesAdded,
} from "@carillon/contract";

import type { ScheduledRow } from "./row.ts";

type Presentable = Pick<
  ScheduledRow,
  | "id"
  | "senderId"
  | "channelId"
  | "memberIds"
  | "topic"
  | "content"
  | "renderedContent"
  | "deliverAt"
  | "failed"
>;

/** Returns the row as clients see it (scheduled-messages.md §0.7). */
export function presentScheduled(row: Presentable): ScheduledMessageResource {
  const common = {
    content: row.content,
    rendered_content: row.renderedContent,
    scheduled_delivery_timestamp: row.deliverAt,
    failed: row.failed,
  };
  if (row.channelId !== null) {
    return {
      scheduled_message_id: row.id,
      type: "stream",
      to: row.channelId,
      topic: row.topic,
      ...common,
    };
  }
  const others = (row.memberIds ?? []).filter((id) => id !== row.senderId);
  const to = others.length > 0 ? others : [row.senderId];
  return { scheduled_message_id: row.id, type: "private", to, ...common };
}

/** Events of scheduled messages, for the sender only. */
export const scheduledEvents = {
  add: (row: ScheduledRow): NewEvent =>
    scheduledMessagesAdded({ scheduled_messages: [presentScheduled(row)] }, senderOf(row)),
  update: (row: ScheduledRow): NewEvent =>
    scheduledMessageUpdated({ scheduled_message: presentScheduled(row) }, senderOf(row)),
  remove: (row: Pick<ScheduledRow, "id" | "senderId">): NewEvent =>
    scheduledMessageRemoved({ scheduled_message_id: row.id }, senderOf(row)),
};

function senderOf({ senderId }: Pick<ScheduledRow, "senderId">) {
  return { audience: [senderId] };
}
