import * as z from "zod";
import { modernPresence, websitePresence } from "../operations/presence.ts";
import { event } from "../primitives/event.ts";

const head = { user_id: z.int(), email: z.string(), server_timestamp: z.number() };

export const presenceChanged = event({
  type: "presence",
  about: "A user came back online, or started or stopped hiding their presence.",
  to: "some",
  receivers: "all users who see the account",
  fields: { presences: z.record(z.string(), modernPresence) },
  log: { ...head, ...modernPresence.shape },
  older: {
    simplified_presence_events: {
      about: "One state and its time; `email` unless the queue has `slim_presence`.",
      fields: {
        ...head,
        email: head.email.optional(),
        presence: z.strictObject({ website: websitePresence }),
      },
    },
  },
});
