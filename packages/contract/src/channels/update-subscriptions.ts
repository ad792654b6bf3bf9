import { z } from "zod";
import { mostChannels } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { wantedChannel } from "./wanted-channel.ts";

/** `PATCH /users/me/subscriptions` (channels.md §8). */
export const updateSubscriptions = operation({
  id: "update-subscriptions",
  method: "PATCH",
  path: "/api/v1/users/me/subscriptions",
  access: "account",
  summary: "Subscribe to channels and unsubscribe from others",
  example: { params: { add: [{ name: "design $RANDOM" }] } },
  description: "Both or neither. Guests can only unsubscribe.",
  params: {
    add: form.json(z.array(wantedChannel), { most: mostChannels }).default([]),
    delete: form
      .json(z.array(z.string()), { most: mostChannels })
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
