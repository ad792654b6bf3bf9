import { z } from "zod";
import { bounds } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { shape } from "../shape.ts";
import { subscriptionSwitches } from "./subscription-switches.ts";

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
  summary: "Change one's own subscriptions",
  example: {
    params: { subscription_data: [{ stream_id: 1, property: "color", value: "#7987f5" }] },
  },
  description: "One unusable change refuses all of them.",
  params: {
    subscription_data: form
      .json(z.array(change), { most: { count: bounds.accounts, of: "changes" } })
      .describe(
        "What to change: `color` (`#` and six hex digits), or one of the switches; `in_home_view` is the opposite of `is_muted`.",
      ),
  },
});
