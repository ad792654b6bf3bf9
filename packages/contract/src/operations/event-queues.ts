import * as z from "zod";
import { deliveredEvent } from "../delivered-event.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";

const typeNames = form.json(z.array(z.string())).nullMeansAbsent().optional();

/** Maximum `idle_queue_timeout`, in seconds: a week. A longer one is reduced to it. */
export const maxIdleTimeout = 604_800;
/** The `idle_queue_timeout` that `mobile` stands for, in seconds. */
export const mobileIdleTimeout = 43_200;
const usualIdleTimeout = 600;

/** `POST /register` (events.md §1). */
export const register = operation({
  id: "register",
  method: "POST",
  path: "/api/v1/register",
  access: "account",
  summary: "Register an event queue",
  example: { params: { event_types: ["message", "reaction"] } },
  description:
    "Returns a snapshot of the requested data, and creates a queue of all events after the snapshot.",
  params: {
    event_types: typeNames.describe(
      "Types of events that the queue delivers; all unless given. Unknown names are ignored.",
    ),
    fetch_event_types: typeNames.describe(
      "Sections of the snapshot; the same as `event_types` unless given.",
    ),
    client_capabilities: form
      .json(z.record(z.string(), z.unknown()))
      .default({})
      .describe("Features that the client supports. Unknown names are ignored."),
    apply_markdown: form.bool().default(false),
    client_gravatar: form.bool().default(true),
    slim_presence: form.bool().default(false),
    presence_history_limit_days: form.int({ min: 0 }).default(14),
    include_subscribers: form.boolOr("partial").default(false),
    all_public_streams: form.bool().default(false),
    narrow: form
      .json(z.array(z.unknown()))
      .nullMeansAbsent()
      .optional()
      .describe("Pairs of operator and operand; a `message` event must match all of them."),
    idle_queue_timeout: form
      .intOr(["mobile"], { min: 1 })
      .default(usualIdleTimeout)
      .describe("Seconds without a poll after which the queue is deleted."),
  },
  result: {
    queue_id: z.string(),
    /** For the first poll. */
    last_event_id: z.int(),
    idle_queue_timeout_secs: z.int(),
    zulip_version: z.string(),
    zulip_feature_level: z.int(),
    zulip_merge_base: z.string(),
  },
  moreFields: true,
  largeAnswer: true,
});

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
    "Waits for an event. After about 50 seconds without one the answer is a `heartbeat` event.",
  params: {
    queue_id: form.text(),
    last_event_id: form
      .int()
      .describe(
        "ID of the newest event that the client has received; acknowledges all events up to it.",
      ),
    dont_block: form
      .bool()
      .default(false)
      .describe("Whether to answer at once, even without events."),
  },
  result: {
    queue_id: z.string(),
    events: z
      .array(deliveredEvent)
      .describe("Oldest first; [event types](event-types.md) lists all types."),
  },
  errors: ["BAD_EVENT_QUEUE_ID"],
  longPoll: true,
});

/** `DELETE /events` (events.md §3). */
export const deleteEventQueue = operation({
  id: "delete-event-queue",
  method: "DELETE",
  path: "/api/v1/events",
  access: "account",
  idempotencyKey: true,
  summary: "Delete an event queue",
  example: { made: { QUEUE_ID: ["register", "queue_id"] }, params: { queue_id: "$QUEUE_ID" } },
  params: { queue_id: form.text() },
  errors: ["BAD_EVENT_QUEUE_ID"],
});
