import { createReminder, listReminders, type ReminderResource } from "@carillon/contract";
import type { GatewayClient, Params } from "../gateway-client.ts";
import { inSeconds } from "./scheduling.ts";

/** Parameters of a reminder in an hour. */
export function reminderOf(messageId: number, over: Params = {}): Params {
  return {
    message_id: messageId,
    scheduled_delivery_timestamp: inSeconds(3_600),
    ...over,
  };
}

/** Creates a reminder; expects success. @returns its ID */
export async function remind(
  client: GatewayClient,
  messageId: number,
  over?: Params,
): Promise<number> {
  const params = reminderOf(messageId, over);
  return (await client.succeed(createReminder, { params })).reminder_id;
}

/** The account's reminders as listed. */
export async function remindersOf(client: GatewayClient): Promise<ReminderResource[]> {
  return (await client.succeed(listReminders, {})).reminders;
}
