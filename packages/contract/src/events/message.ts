import * as z from "zod";
import { messageResource } from "../operations/message-resource.ts";
import { event } from "../primitives/event.ts";
import { emptyTopicIsNamed } from "./empty-topic.ts";
import { loggedPicture } from "./picture.ts";

const message = messageResource.omit({
  flags: true,
  edit_history: true,
  last_edit_timestamp: true,
  last_moved_timestamp: true,
  match_content: true,
  match_subject: true,
});
const flags = z.array(z.string());

export const messageSent = event({
  type: "message",
  about:
    "A message was sent. `flags` are the receiver's; only the queue with which the message was sent gets `local_message_id`.",
  to: "some",
  receivers: "accounts to which the message is delivered",
  fields: { message, flags, local_message_id: z.string().optional() },
  log: {
    /** With the Markdown and the HTML, and with the stored topic. */
    message: message
      .omit({ avatar_url: true, content_type: true })
      .extend({ rendered_content: z.string() }),
    /** The address of the sender's picture depends on the receiver. */
    picture: loggedPicture,
    /** Flags of receivers without an entry of their own. */
    flags,
    public_gravatar: z.boolean(),
    /** Whether it is in a channel that is not private. */
    public_channel: z.boolean(),
    /** Whether its channel is archived: only the server writes to archived channels. */
    archived: z.literal(true).optional(),
    /** Local echo: the queue whose event carries the id. */
    local: z.strictObject({ queue_id: z.string(), local_message_id: z.string() }).optional(),
  },
  /** `unseen_sender`: the receiver may not see the sender's account. */
  own: { flags, unseen_sender: z.literal(true) },
  older: {
    ...emptyTopicIsNamed("message.subject"),
    archived_channels: { about: "Omits messages that the server writes in an archived channel." },
  },
  forAllPublic: ({ public_channel }) => public_channel,
  weight: ({ message: { content, submessages } }) =>
    submessages.reduce((weight, each) => weight + each.content.length, content.length),
});
