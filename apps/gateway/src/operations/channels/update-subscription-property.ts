import { errors, updateSubscriptionProperty } from "@carillon/contract";
import { changeSubscriptions } from "@carillon/domain";
import { handle } from "../../handle.ts";

/** `PATCH /users/me/subscriptions/{stream_id}` (channels.md §8). */
export default handle.changes(updateSubscriptionProperty, ({ tx, input, path, actor }) => {
  const { stream_id } = path;
  const { property, value } = input;
  const change =
    property === "color"
      ? { stream_id, property, value }
      : { stream_id, property, value: switchOf(property, value) };
  return changeSubscriptions(tx, actor, [change]);
});

/** @throws ApiError `BAD_REQUEST` */
function switchOf(property: string, value: string): boolean {
  if (value === "true") return true;
  if (value === "false") return false;
  throw errors.badRequest(`value must be true or false where property is ${property}`);
}
