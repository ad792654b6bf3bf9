import * as z from "zod";
import { withheldMessageResource } from "../operations/withheld-messages.ts";
import { event } from "../primitives/event.ts";

export const withheldMessagesAdded = event({
  type: "withheld_messages",
  op: "add",
  about: "Scheduled messages are not sent, because a condition holds.",
  to: "some",
  receivers: "the sender",
  optIn: true,
  fields: { withheld_messages: z.array(withheldMessageResource) },
});
