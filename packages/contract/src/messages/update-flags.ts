import { z } from "zod";
import { mostMessages } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** As it was sent, since it is sent back. */
const sentId = z.number().refine(Number.isInteger, "must be an integer").meta({ type: "integer" });

/** Which flag is changed, and how. */
export const flagParameters = {
  op: form.oneOf("add", "remove"),
  flag: form.oneOf("read", "starred", "collapsed"),
};

export const ignoredChannels = z
  .array(z.int())
  .describe("Channels whose messages were not marked as unread, ascending.");

/** `POST /messages/flags` (messages.md §7). */
export const updateMessageFlags = operation({
  id: "update-message-flags",
  method: "POST",
  path: "/api/v1/messages/flags",
  access: "account",
  summary: "Change the caller's own flags of messages",
  example: { params: { messages: [4], op: "add", flag: "starred" } },
  description:
    "Where one of the messages is not the caller's to see, nothing is changed; but `read` is added to those that the caller has received, whatever the others are. Messages of channels that the caller is not subscribed to stay read.",
  params: {
    messages: form
      .json(z.array(sentId), { most: mostMessages })
      .describe("The IDs of the messages, at most 5000."),
    ...flagParameters,
  },
  result: {
    messages: z.array(sentId).describe("As sent."),
    ignored_because_not_subscribed_channels: ignoredChannels,
  },
});
