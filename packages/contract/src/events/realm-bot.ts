import { z } from "zod";
import { botObject } from "../bots/bot-objects.ts";
import { event } from "./event.ts";

export const botAdded = event({
  type: "realm_bot",
  op: "add",
  about: "A bot is new, or has come under the receiver's administration.",
  to: "some",
  receivers: "its owner and administrators; who becomes an administrator",
  fields: {
    bot: botObject,
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
