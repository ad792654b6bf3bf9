import { z } from "zod";
import { mostAccounts } from "../bounds.ts";
import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { path } from "../path.ts";

/** What creating and editing share. */
export const messageTypes = form
  .oneOf("direct", "channel", "stream", "private")
  .describe("`stream` and `private` are older names of `channel` and `direct`.");

const anyInteger = z
  .number()
  .refine(Number.isInteger, "must be an integer")
  .meta({ type: "integer" });

export const scheduledTo = form
  .json(z.union([anyInteger, z.array(anyInteger)]), { most: mostAccounts })
  .describe("The ID of a channel, or a list of user IDs; the sender may be listed or not.");

/** Direct messages ignore it, whatever it is. */
export const topicParameter = form.text({ anyText: true }).optional().alias("subject");

export const deliveryTimestamp = form
  .int()
  .describe("UNIX time in UTC seconds; must lie in the future.");

export const scheduledMessageId = path.int({ max: maxLongId });

/** Refusals of a message that may not be sent (scheduled-messages.md §0.4). */
export const sendingErrors = [
  "BAD_REQUEST",
  "STREAM_DOES_NOT_EXIST",
  "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
  "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
] as const;
