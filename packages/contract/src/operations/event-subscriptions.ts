import * as z from "zod";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { callAttempt } from "./call-attempt.ts";

/** Maximum number of subscriptions of a bot, and of an organization. */
export const maxSubscriptions = { ofBot: 10, ofOrganization: 100 };
/** Maximum number of event types of one subscription. */
export const maxSubscribedTypes = 20;
/** Maximum number of pings of a subscription in a minute. */
export const maxPings = 10;
/** Seconds for which the old signing secret stays in use after a rotation: the default and the maximum. */
const secretExpiry = { usual: 86_400, max: 604_800 };
/** UNIX seconds, the end of the year 9999. */
const lastInstant = 253_402_300_799;

/** A URL to which the events of a bot are sent (bot-platform.md §3). */
const eventSubscription = z.strictObject({
  id: z.int(),
  bot_id: z.int(),
  url: z.string(),
  event_types: z.array(z.string()),
  narrow: z.array(z.tuple([z.string(), z.string()])),
  all_public_streams: z.boolean(),
  description: z.string(),
  /** `failing` from the first failed delivery to the next success. `paused` and `disabled` subscriptions send nothing. */
  state: z.enum(["active", "failing", "paused", "disabled"]),
  /** Why it is failing or disabled; else null. */
  state_reason: z.string().nullable(),
  /** ID of the last event that was acknowledged, or skipped because it does not match the filters. */
  cursor: z.int(),
  /** UNIX seconds; null unless it is failing. */
  failing_since: z.int().nullable(),
  /** UNIX seconds; null if no attempt is planned. */
  next_attempt_at: z.int().nullable(),
  /** How many secrets sign requests now: 2 for a while after a rotation. */
  signing_secrets: z.int(),
  /** UNIX seconds */
  date_created: z.int(),
});

export type EventSubscription = z.input<typeof eventSubscription>;

const filters = {
  event_types: form
    .json(z.array(z.string()).min(1).max(maxSubscribedTypes))
    .describe(
      "1 to 20 types of events; not `heartbeat`, `presence`, `typing` and `typing_edit_message`.",
    ),
  narrow: form
    .json(z.array(z.unknown()))
    .describe("Pairs of operator and operand; a `message` event must match all of them."),
  all_public_streams: form
    .bool()
    .describe("Whether to send messages of all public channels, also without a subscription."),
};

const urlParameter = () =>
  form
    .text()
    .describe(
      "`https`; `http` only for an address that the operator has allowed. At most 2048 characters.",
    );

const descriptionParameter = () => form.text().describe("At most 200 characters.");

const botParameter = () =>
  form
    .id()
    .optional()
    .describe("The bot; required of people, who may name bots that they administer.");

const callers = "For the bot itself, its owner and administrators of the organization.";

/** `POST /event_subscriptions` (bot-platform.md §3). */
export const createEventSubscription = operation({
  id: "create-event-subscription",
  method: "POST",
  path: "/api/v1/event_subscriptions",
  access: "account",
  summary: "Create an event subscription",
  description: `${callers} From now on, events of the bot are sent to the URL, signed with \`signing_secret\`, which no later answer shows.`,
  example: {
    as: "bot",
    params: { url: "https://example.com/events", event_types: ["message"] },
  },
  params: {
    url: urlParameter(),
    event_types: filters.event_types,
    narrow: filters.narrow.nullMeansAbsent().default([]),
    all_public_streams: filters.all_public_streams.default(false),
    description: descriptionParameter().default(""),
    bot_id: botParameter(),
  },
  result: { subscription: eventSubscription, signing_secret: z.string() },
  errors: ["REQUEST_VARIABLE_MISSING"],
});

/** `GET /event_subscriptions` (bot-platform.md §3). */
export const listEventSubscriptions = operation({
  id: "get-event-subscriptions",
  method: "GET",
  path: "/api/v1/event_subscriptions",
  access: "account",
  summary: "Get the event subscriptions of a bot",
  description: callers,
  example: { as: "bot" },
  params: { bot_id: botParameter() },
  result: { subscriptions: z.array(eventSubscription) },
  errors: ["REQUEST_VARIABLE_MISSING"],
});

/** Common parts of the examples of operations on one subscription. */
const one = {
  as: "bot",
  made: { SUBSCRIPTION_ID: ["create-event-subscription", "id"] },
  path: { subscription_id: "$SUBSCRIPTION_ID" },
} as const;

const onePath = { subscription_id: path.int() };

/** `GET /event_subscriptions/{subscription_id}` (bot-platform.md §3). */
export const getEventSubscription = operation({
  id: "get-event-subscription",
  method: "GET",
  path: "/api/v1/event_subscriptions/{subscription_id}",
  pathParams: onePath,
  access: "account",
  summary: "Get an event subscription",
  description: callers,
  example: one,
  result: { subscription: eventSubscription },
});

/** `PATCH /event_subscriptions/{subscription_id}` (bot-platform.md §3). */
export const updateEventSubscription = operation({
  id: "update-event-subscription",
  method: "PATCH",
  path: "/api/v1/event_subscriptions/{subscription_id}",
  pathParams: onePath,
  access: "account",
  idempotencyKey: true,
  summary: "Change an event subscription",
  description: `${callers} New filters apply to events from then on.`,
  example: { ...one, params: { paused: true } },
  params: {
    url: urlParameter().optional(),
    event_types: filters.event_types.optional(),
    narrow: filters.narrow.optional(),
    all_public_streams: filters.all_public_streams.optional(),
    description: descriptionParameter().optional(),
    paused: form
      .bool()
      .optional()
      .describe("`false` also resumes a disabled subscription, from its cursor."),
  },
  result: { subscription: eventSubscription },
});

/** `DELETE /event_subscriptions/{subscription_id}` (bot-platform.md §3). */
export const deleteEventSubscription = operation({
  id: "delete-event-subscription",
  method: "DELETE",
  path: "/api/v1/event_subscriptions/{subscription_id}",
  pathParams: onePath,
  access: "account",
  idempotencyKey: true,
  summary: "Delete an event subscription",
  description: `${callers} A request in progress may still arrive.`,
  example: one,
});

/** `POST /event_subscriptions/{subscription_id}/rotate_secret` (bot-platform.md §3). */
export const rotateEventSubscriptionSecret = operation({
  id: "rotate-event-subscription-secret",
  method: "POST",
  path: "/api/v1/event_subscriptions/{subscription_id}/rotate_secret",
  pathParams: onePath,
  access: "account",
  summary: "Replace the signing secret of an event subscription",
  description: callers,
  example: one,
  params: {
    expire_seconds: form
      .int({ min: 0, max: secretExpiry.max })
      .default(secretExpiry.usual)
      .describe(
        "Seconds for which requests are signed with the previous secret as well. Any older one ends at once.",
      ),
  },
  result: { signing_secret: z.string() },
});

/** `POST /event_subscriptions/{subscription_id}/ping` (bot-platform.md §3). */
export const pingEventSubscription = operation({
  id: "ping-event-subscription",
  method: "POST",
  path: "/api/v1/event_subscriptions/{subscription_id}/ping",
  pathParams: onePath,
  access: "account",
  idempotencyKey: true,
  summary: "Send a ping to the URL of an event subscription",
  description: `${callers} A ping is sent in any state, and does not wait for events. At most ${maxPings} in a minute. The list of deliveries shows the answer.`,
  example: one,
});

/** `POST /event_subscriptions/{subscription_id}/replay` (bot-platform.md §3). */
export const replayEventSubscription = operation({
  id: "replay-event-subscription",
  method: "POST",
  path: "/api/v1/event_subscriptions/{subscription_id}/replay",
  pathParams: onePath,
  access: "account",
  idempotencyKey: true,
  summary: "Send the events of a subscription again",
  description: `${callers} Continues with the first event at or after the given event or time. If events of that age are no longer kept, the error has \`oldest_event_id\`.`,
  example: {
    ...one,
    made: { ...one.made, CURSOR: ["create-event-subscription", "cursor"] },
    params: { from_event_id: "$CURSOR" },
  },
  params: {
    from_event_id: form
      .int({ min: 0 })
      .optional()
      .describe("Either this or `from_time` is required."),
    from_time: form.int({ min: 0, max: lastInstant }).optional().describe("UNIX seconds."),
  },
  result: { cursor: z.int() },
});

const delivery = z.strictObject({
  /** The same for all attempts of a batch. */
  webhook_id: z.string(),
  /** Null for a ping. */
  first_event_id: z.int().nullable(),
  /** Null for a ping. */
  last_event_id: z.int().nullable(),
  /** How many events were sent; 0 for a ping. */
  events: z.int(),
  ...callAttempt,
});

export type EventDelivery = z.input<typeof delivery>;

/** `GET /event_subscriptions/{subscription_id}/deliveries` (bot-platform.md §3). */
export const listEventDeliveries = operation({
  id: "get-event-subscription-deliveries",
  method: "GET",
  path: "/api/v1/event_subscriptions/{subscription_id}/deliveries",
  pathParams: onePath,
  access: "account",
  summary: "Get the last calls of an event subscription",
  description: `${callers} The last 100 attempts of at most 14 days, newest first.`,
  example: one,
  result: { deliveries: z.array(delivery) },
});
