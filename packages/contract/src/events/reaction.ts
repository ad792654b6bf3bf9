import { z } from "zod";
import { event } from "./event.ts";

const fields = {
  message_id: z.int(),
  user_id: z.int(),
  emoji_name: z.string(),
  emoji_code: z.string(),
  reaction_type: z.string(),
};
const receivers = "everyone who has the message, and subscribers who can read it";

export const reactionAdded = event({
  type: "reaction",
  op: "add",
  about: "Somebody has put an emoji on a message.",
  to: "some",
  receivers,
  fields,
});

export const reactionRemoved = event({
  type: "reaction",
  op: "remove",
  about: "Somebody has taken their emoji off a message.",
  to: "some",
  receivers,
  fields,
});
