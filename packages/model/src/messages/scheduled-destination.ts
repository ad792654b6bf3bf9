import { errors } from "@carillon/contract";

import type { Destination } from "./draft.ts";

/** `type` as sent; `stream` and `private` are the older names. */
export type MessageType = "direct" | "private" | "channel" | "stream";

export function isChannelType(type: MessageType): boolean {
  return type === "channel" || type === "stream";
}

/**
 * Where a scheduled message goes: one channel id, or a list of user ids (scheduled-messages.md §1).
 * @throws ApiError `BAD_REQUEST` for the other shape
 */
export function scheduledDestination(
  toChannel: boolean,
  to: number | readonly number[],
): Destination {
  if (toChannel) {
    if (typeof to !== "number") throw errors.badRequest("to must be one channel ID");
    return { kind: "channel", channelId: to };
  }
  if (typeof to === "number") throw errors.badRequest("to must be a list of user IDs");
  return { kind: "direct", userIds: to };
}
