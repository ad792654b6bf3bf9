import { z } from "zod";
import { botDefaults, botObject } from "../operations/bots.ts";
import { event } from "./event.ts";

export const botAdded = event({
  type: "realm_bot",
  op: "add",
  about: "A bot is new, or has come under the receiver's administration.",
  to: "some",
  receivers: "its owner and administrators; who becomes its owner or an administrator",
  fields: {
    bot: botObject,
  },
});

export const botUpdated = event({
  type: "realm_bot",
  op: "update",
  about: "Something that only those see who administer the bot is different.",
  to: "some",
  receivers: "its owner and administrators",
  fields: { bot: botDefaults.partial().extend({ user_id: z.int() }) },
});

export const botDeleted = event({
  type: "realm_bot",
  op: "delete",
  about: "The receiver administers a bot no more.",
  to: "some",
  receivers: "who is an administrator, or its owner, no more",
  fields: { bot: z.strictObject({ user_id: z.int() }) },
});
