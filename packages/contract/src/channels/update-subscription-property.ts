import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { subscriptionSwitches } from "./subscription-switches.ts";

/** `PATCH /users/me/subscriptions/{stream_id}` (channels.md §8). */
export const updateSubscriptionProperty = operation({
  id: "update-subscription-property",
  method: "PATCH",
  path: "/api/v1/users/me/subscriptions/{stream_id}",
  access: "account",
  summary: "Change one property of one's own subscription",
  example: { params: { property: "color", value: "#7987f5" } },
  pathParams: { stream_id: path.int() },
  params: {
    property: form
      .oneOf("color", ...subscriptionSwitches)
      .describe("`color`, or one of the switches; `in_home_view` is the opposite of `is_muted`."),
    value: form
      .text()
      .describe("For `color` `#` and six hex digits, as they are; for the others true or false."),
  },
});
