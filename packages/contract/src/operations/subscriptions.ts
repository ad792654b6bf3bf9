import * as z from "zod";
import { bounds, maxAccounts, maxChannels } from "../primitives/bounds.ts";
import { subscriptionObject, subscriptionSwitches } from "./channel-object.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { shape } from "../primitives/shape.ts";
import { creationParameters } from "./channels.ts";

/** The accounts that a request subscribes or unsubscribes. */
export const principals = form
  .json(z.union([z.array(shape.id), z.array(z.string())]), { maxItems: maxAccounts })
  .optional()
  .describe("IDs or e-mail addresses of the users; at most 10,000; the caller unless given.");

/** A channel to subscribe to, by name. */
const wantedChannel = z.object({
  name: z.string(),
  /** `#rrggbb` */
  color: z.string().optional(),
  /** The description of a channel that does not exist yet. */
  description: z.string().optional(),
});

/** `GET /users/me/subscriptions` (channels.md §8). */
export const listSubscriptions = operation({
  id: "list-subscriptions",
  method: "GET",
  path: "/api/v1/users/me/subscriptions",
  access: "account",
  summary: "List one's subscriptions",
  description: "Omits archived channels.",
  params: {
    include_subscribers: form
      .boolOr("partial")
      .default(false)
      .describe(
        "Adds `subscribers`. With `partial`, channels of 250 and more subscribers have `partial_subscribers` instead: bots, and users who were active in the last two weeks.",
      ),
  },
  result: {
    subscriptions: z.array(
      subscriptionObject.extend({
        /** Replaces `subscribers` of a large channel if `partial` is requested. */
        partial_subscribers: z.array(z.int()).optional(),
      }),
    ),
  },
});

/** `GET /streams/{stream_id}/members` (channels.md §7). */
export const listSubscribers = operation({
  id: "list-subscribers",
  method: "GET",
  path: "/api/v1/streams/{stream_id}/members",
  access: "account",
  summary: "List a channel's subscribers",
  pathParams: { stream_id: path.int() },
  result: {
    /** IDs of active accounts, ascending. */
    subscribers: z.array(z.int()),
  },
});

/** `GET /users/{user_id}/subscriptions/{stream_id}` (channels.md §7). */
export const getSubscriptionStatus = operation({
  id: "get-subscription-status",
  method: "GET",
  path: "/api/v1/users/{user_id}/subscriptions/{stream_id}",
  access: "account",
  summary: "Check whether a user is subscribed to a channel",
  description: "Deactivated users have no subscriptions.",
  pathParams: { user_id: path.int(), stream_id: path.int() },
  result: { is_subscribed: z.boolean() },
});

/** `POST /users/me/subscriptions` (channels.md §8). */
export const addSubscriptions = operation({
  id: "add-subscriptions",
  method: "POST",
  path: "/api/v1/users/me/subscriptions",
  access: "non-guest",
  idempotencyKey: true,
  summary: "Subscribe to channels",
  example: { params: { subscriptions: [{ name: "design $RANDOM" }] } },
  description:
    "Channels that do not exist are created, as with `POST /channels/create` and its parameters.",
  params: {
    subscriptions: form
      .json(z.array(wantedChannel), { maxItems: maxChannels })
      .describe(
        "At most 500, including at most 100 new channels; channels × users at most 10,000.",
      ),
    principals,
    authorization_errors_fatal: form
      .bool()
      .default(true)
      .describe("Whether one channel that the caller may not use rejects the whole request."),
    ...creationParameters,
  },
  result: {
    /** Names of channels, by user ID. */
    subscribed: z.record(z.string(), z.array(z.string())),
    already_subscribed: z.record(z.string(), z.array(z.string())),
    /** Only without `authorization_errors_fatal`. */
    unauthorized: z.array(z.string()).optional(),
    /** Only if `send_new_subscription_messages` is true. */
    new_subscription_messages_sent: z.boolean().optional(),
  },
  errors: ["SYSTEM_GROUP_REQUIRED", "UNAUTHORIZED_PRINCIPAL"],
});

/** `PATCH /users/me/subscriptions` (channels.md §8). */
export const updateSubscriptions = operation({
  id: "update-subscriptions",
  method: "PATCH",
  path: "/api/v1/users/me/subscriptions",
  access: "account",
  idempotencyKey: true,
  summary: "Subscribe to channels and unsubscribe from others",
  example: { params: { add: [{ name: "design $RANDOM" }] } },
  description: "The change is atomic. Guests can only unsubscribe.",
  params: {
    add: form.json(z.array(wantedChannel), { maxItems: maxChannels }).default([]),
    delete: form
      .json(z.array(z.string()), { maxItems: maxChannels })
      .default([])
      .describe("Names of channels."),
  },
  result: {
    /** Names of channels, by user ID. */
    subscribed: z.record(z.string(), z.array(z.string())),
    already_subscribed: z.record(z.string(), z.array(z.string())),
    /** Channels that the caller was unsubscribed from. */
    removed: z.array(z.string()),
    not_removed: z.array(z.string()),
  },
});

/** `DELETE /users/me/subscriptions` (channels.md §8). */
export const removeSubscriptions = operation({
  id: "remove-subscriptions",
  method: "DELETE",
  path: "/api/v1/users/me/subscriptions",
  access: "account",
  idempotencyKey: true,
  summary: "Unsubscribe from channels",
  example: { as: "admin", params: { subscriptions: ["general"] } },
  params: {
    subscriptions: form
      .json(z.array(z.string()), { maxItems: maxChannels })
      .describe("Names of channels, at most 500; channels × users at most 10,000."),
    principals,
  },
  result: {
    /** Channels that at least one account was unsubscribed from. */
    removed: z.array(z.string()),
    not_removed: z.array(z.string()),
  },
});

const change = z.discriminatedUnion("property", [
  z.object({ stream_id: shape.id, property: z.literal("color"), value: z.string() }),
  z.object({ stream_id: shape.id, property: z.enum(subscriptionSwitches), value: z.boolean() }),
]);

/** `POST /users/me/subscriptions/properties` (channels.md §8). */
export const updateSubscriptionProperties = operation({
  id: "update-subscription-properties",
  method: "POST",
  path: "/api/v1/users/me/subscriptions/properties",
  access: "account",
  idempotencyKey: true,
  summary: "Change one's own subscriptions",
  example: {
    params: { subscription_data: [{ stream_id: 1, property: "color", value: "#7987f5" }] },
  },
  description: "One invalid change rejects all of them.",
  params: {
    subscription_data: form
      .json(z.array(change), { maxItems: { count: bounds.accounts, of: "changes" } })
      .describe(
        "What to change: `color` (`#` and six hex digits), or one of the switches; `in_home_view` is the opposite of `is_muted`.",
      ),
  },
});

/** `PATCH /users/me/subscriptions/{stream_id}` (channels.md §8). */
export const updateSubscriptionProperty = operation({
  id: "update-subscription-property",
  method: "PATCH",
  path: "/api/v1/users/me/subscriptions/{stream_id}",
  access: "account",
  idempotencyKey: true,
  summary: "Change one property of one's own subscription",
  example: { params: { property: "color", value: "#7987f5" } },
  pathParams: { stream_id: path.int() },
  params: {
    property: form
      .oneOf("color", ...subscriptionSwitches)
      .describe("`color`, or one of the switches; `in_home_view` is the opposite of `is_muted`."),
    value: form
      .text()
      .describe("For `color`, `#` and six hex digits, not quoted; for the others, true or false."),
  },
});
