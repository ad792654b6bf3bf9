import * as z from "zod";
import {
  botDefaults,
  botObject,
  botService,
  loggedBot,
  loggedService,
} from "../operations/bots.ts";
import { event } from "../primitives/event.ts";

export const botAdded = event({
  type: "realm_bot",
  op: "add",
  about: "A bot was created, or the receiver has become one of its administrators.",
  to: "some",
  receivers: "its owner and administrators; an account that becomes one of them",
  fields: { bot: botObject },
  // The log holds no token in plain text.
  log: { bot: loggedBot },
});

export const botUpdated = event({
  type: "realm_bot",
  op: "update",
  about: "A field that only the bot's administrators see changed.",
  to: "some",
  receivers: "its owner and administrators",
  fields: {
    bot: botDefaults
      .partial()
      .extend({ user_id: z.int(), services: z.array(botService).optional() }),
  },
  log: {
    bot: botDefaults
      .partial()
      .extend({ user_id: z.int(), services: z.array(loggedService).optional() }),
  },
});

export const botDeleted = event({
  type: "realm_bot",
  op: "delete",
  about: "The receiver no longer administers a bot.",
  to: "some",
  receivers: "an account that is no longer an administrator, or no longer the bot's owner",
  fields: { bot: z.strictObject({ user_id: z.int() }) },
});
