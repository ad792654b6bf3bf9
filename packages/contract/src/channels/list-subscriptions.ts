import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { subscriptionObject } from "./channel-object.ts";

/** `GET /users/me/subscriptions` (channels.md §8). */
export const listSubscriptions = operation({
  id: "list-subscriptions",
  method: "GET",
  path: "/api/v1/users/me/subscriptions",
  access: "account",
  summary: "List one's subscriptions",
  description: "Archived channels are left out.",
  params: {
    include_subscribers: form
      .boolOr("partial")
      .default(false)
      .describe(
        "Adds `subscribers`; with `partial` channels of 250 and more have `partial_subscribers` instead: bots, and who was there in the last two weeks.",
      ),
  },
  result: {
    subscriptions: z.array(
      subscriptionObject.extend({
        /** In the place of `subscribers`, of a large channel where a part is enough. */
        partial_subscribers: z.array(z.int()).optional(),
      }),
    ),
  },
});
