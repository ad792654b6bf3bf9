import { z } from "zod";
import { event } from "./event.ts";

const fields = {
  message_id: z.int(),
  user_id: z.int(),
  emoji_name: z.string(),
  emoji_code: z.string(),
  reaction_type: z.string(),
};
const log = {
  ...fields,
  /** The account that reacted, with its visible address. */
  reactor: z.strictObject({ email: z.string(), full_name: z.string() }),
};
/** Marks a receiver that may not see the account that reacted (users.md §2.1). */
const own = { unseen_reactor: z.literal(true) };
const older = {
  reaction_user: {
    about: "Includes the user who reacted.",
    fields: {
      ...fields,
      user: z.strictObject({ user_id: z.int(), email: z.string(), full_name: z.string() }),
    },
  },
};
const receivers = "everyone who has the message, and subscribers who can read it";

export const reactionAdded = event({
  type: "reaction",
  op: "add",
  about: "A user has added a reaction to a message.",
  to: "some",
  receivers,
  fields,
  log,
  own,
  older,
});

export const reactionRemoved = event({
  type: "reaction",
  op: "remove",
  about: "A user has removed a reaction from a message.",
  to: "some",
  receivers,
  fields,
  log,
  own,
  older,
});
