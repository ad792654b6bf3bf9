import { z } from "zod";
import { mostChannels } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { creationParameters } from "./creation-parameters.ts";
import { principals } from "./principals.ts";
import { wantedChannel } from "./wanted-channel.ts";

/** `POST /users/me/subscriptions` (channels.md §8). */
export const addSubscriptions = operation({
  id: "add-subscriptions",
  method: "POST",
  path: "/api/v1/users/me/subscriptions",
  access: "non-guest",
  summary: "Subscribe to channels",
  example: { params: { subscriptions: [{ name: "design $RANDOM" }] } },
  description:
    "Channels that do not exist are created, as by `POST /channels/create` and with its parameters.",
  params: {
    subscriptions: form
      .json(z.array(wantedChannel), { most: mostChannels })
      .describe("At most 500, of them 100 that do not exist; channels × users at most 10,000."),
    principals,
    authorization_errors_fatal: form
      .bool()
      .default(true)
      .describe("Whether one channel that the caller may not use refuses everything."),
    ...creationParameters,
  },
  result: {
    /** Names of channels, by user ID. */
    subscribed: z.record(z.string(), z.array(z.string())),
    already_subscribed: z.record(z.string(), z.array(z.string())),
    /** Only where such channels are not fatal. */
    unauthorized: z.array(z.string()).optional(),
    /** Only where messages were asked for. */
    new_subscription_messages_sent: z.boolean().optional(),
  },
  errors: ["SYSTEM_GROUP_REQUIRED", "UNAUTHORIZED_PRINCIPAL"],
});
