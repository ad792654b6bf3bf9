import { z } from "zod";
import { mostChannels } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { principals } from "./principals.ts";

/** `DELETE /users/me/subscriptions` (channels.md §8). */
export const removeSubscriptions = operation({
  id: "remove-subscriptions",
  method: "DELETE",
  path: "/api/v1/users/me/subscriptions",
  access: "account",
  summary: "Unsubscribe from channels",
  example: { as: "admin", params: { subscriptions: ["general"] } },
  params: {
    subscriptions: form
      .json(z.array(z.string()), { most: mostChannels })
      .describe("Names of channels, at most 500; channels × users at most 10,000."),
    principals,
  },
  result: {
    /** Channels that somebody was unsubscribed from. */
    removed: z.array(z.string()),
    not_removed: z.array(z.string()),
  },
});
