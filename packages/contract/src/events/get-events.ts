import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { deliveredEvent } from "./delivered-event.ts";

/** `GET /events` (events.md §2). */
export const getEvents = operation({
  id: "get-events",
  method: "GET",
  path: "/api/v1/events",
  access: "account",
  summary: "Get events from a queue",
  example: {
    made: { QUEUE_ID: ["register", "queue_id"] },
    params: { queue_id: "$QUEUE_ID", dont_block: true },
  },
  description:
    "Waits until there is an event. After about 50 seconds without one the answer is a `heartbeat`.",
  params: {
    queue_id: form.text(),
    last_event_id: form
      .int()
      .describe("The newest event that the client has: everything up to it is acknowledged."),
    dont_block: form.bool().default(false).describe("Answer at once, also with nothing."),
  },
  result: {
    queue_id: z.string(),
    events: z
      .array(deliveredEvent)
      .describe("Oldest first; [event types](event-types.md) has all that there are."),
  },
  errors: ["BAD_EVENT_QUEUE_ID"],
  longPoll: true,
});
