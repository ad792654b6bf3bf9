import { z } from "zod";
import { event } from "./event.ts";

export const botAdded = event({
  type: "realm_bot",
  op: "add",
  about: "A bot is new, or has come under the receiver's administration.",
  to: "some",
  receivers: "its owner and administrators; who becomes an administrator",
  fields: {
    bot: z.strictObject({
      user_id: z.int(),
      /** Those of outgoing webhooks, which there are none of yet. */
      services: z.array(z.never()),
      default_sending_stream: z.string().nullable(),
      default_events_register_stream: z.string().nullable(),
      default_all_public_streams: z.boolean(),
    }),
  },
});

export const botDeleted = event({
  type: "realm_bot",
  op: "delete",
  about: "The receiver administers a bot no more.",
  to: "some",
  receivers: "who is an administrator no more",
  fields: { bot: z.strictObject({ user_id: z.int() }) },
});
