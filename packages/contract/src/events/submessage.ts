import * as z from "zod";
import { event } from "../primitives/event.ts";

export const submessageAdded = event({
  type: "submessage",
  about: "Data of an integration was attached to a message.",
  to: "some",
  receivers: "everyone who has the message, and subscribers who can read it",
  fields: {
    msg_type: z.string(),
    message_id: z.int(),
    submessage_id: z.int(),
    sender_id: z.int(),
    /** JSON, as it was sent. */
    content: z.string(),
  },
  weight: (fields) => fields.content.length,
});
