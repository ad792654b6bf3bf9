import type { LoggedEvent } from "@carillon/events";

import type { LoggedMessage } from "../messages/send/message-event.ts";

/**
 * The channel of a `message` event, if it is not private: queues that listen to all public channels get it, whoever is
 * among the receivers. undefined for everything else.
 */
export function publicChannelOf(event: LoggedEvent): number | undefined {
  if (event.type !== "message") return undefined;
  const { message, public_channel } = event.payload as unknown as LoggedMessage;
  return public_channel ? message.stream_id : undefined;
}
