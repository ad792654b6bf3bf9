import {
  fillNotifications,
  type InheritedNotifications,
} from "../channels/notification-settings.ts";
import type { SubscriptionObject } from "../channels/subscriptions.ts";
import type { Formatter } from "./delivery.ts";

/** What the log keeps of `subscription/add`. */
export interface LoggedSubscriptions {
  readonly subscriptions: readonly SubscriptionObject[];
  /** What a receiver's null notification settings mean; in `userData` for those to whom they mean something else. */
  readonly inherited: InheritedNotifications;
}

/** `subscription/add`: notification settings that are inherited are spelled out unless the client knows null. */
export const formatSubscriptionAdd: Formatter = (delivery) => {
  const { inherited, subscriptions, ...fields } =
    delivery.fields() as unknown as LoggedSubscriptions;
  if (delivery.has("notification_settings_null"))
    return [delivery.with({ ...fields, subscriptions })];
  const filled = subscriptions.map((subscription) => fillNotifications(subscription, inherited));
  return [delivery.with({ ...fields, subscriptions: filled })];
};
