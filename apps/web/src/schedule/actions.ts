import { ApiError, type Condition, type ScheduledMessage } from "@carillon/client";
import type { Conversation } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";
import type { Repeatable } from "./repeatable.ts";

/** Seconds from now: the server takes only times in the future, and the request needs some time. */
const soonSeconds = 3;
const latestSeconds = 15;

export function conversationOf(
  { to, topic = "" }: Pick<ScheduledMessage, "to" | "topic">,
  me: number,
): Conversation {
  return typeof to === "number"
    ? { channelId: to, topic }
    : { others: to.filter((id) => id !== me) };
}

/**
 * Makes a message due now. It is still sent by the delivery job, so that it is sent once. Conditions are removed: the
 * person has decided.
 */
export async function sendNow(
  { client, clock }: Organization,
  id: number,
  hasConditions: boolean,
): Promise<void> {
  const edit = (seconds: number) =>
    client.editScheduledMessage({
      scheduled_message_id: id,
      scheduled_delivery_timestamp: clock.now() + seconds,
      ...(hasConditions && { unless: [] }),
    });
  try {
    await edit(soonSeconds);
  } catch (error) {
    // The clocks may differ by a few seconds.
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    await edit(latestSeconds);
  }
}

/** Schedules a deleted message again; once, however often it is called with the same request. */
export async function restore(
  { client }: Organization,
  message: ScheduledMessage,
  unless: readonly Condition[],
  request: Repeatable,
): Promise<void> {
  const { type, to, topic, content, scheduled_delivery_timestamp } = message;
  const params = {
    type,
    to,
    ...(topic !== undefined && { topic }),
    content,
    scheduled_delivery_timestamp,
    read_by_sender: true,
    ...(unless.length > 0 && { unless }),
  };
  await client.createScheduledMessage(params, { idempotencyKey: request.keyFor(params) });
}
