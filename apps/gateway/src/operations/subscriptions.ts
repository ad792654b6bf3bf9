import * as contract from "@carillon/contract";
import {
  addSubscriptions,
  changeSubscriptions,
  listSubscriptions,
  readSubscribers,
  readSubscriptionStatus,
  removeSubscriptions,
  updateSubscriptions,
} from "@carillon/domain";
import { handle } from "../handle.ts";
import { creationOptions } from "./channel-creation.ts";

export default [
  handle.reads(contract.listSubscriptions, async ({ snapshot, input, actor }) => ({
    subscriptions: await snapshot((sql) =>
      listSubscriptions(sql, actor, input.include_subscribers),
    ),
  })),

  handle.reads(contract.listSubscribers, async ({ snapshot, path, actor }) => ({
    subscribers: await snapshot((sql) => readSubscribers(sql, actor, path.stream_id)),
  })),

  handle.reads(contract.getSubscriptionStatus, async ({ snapshot, path, actor }) => ({
    is_subscribed: await snapshot((sql) =>
      readSubscriptionStatus(sql, actor, path.user_id, path.stream_id),
    ),
  })),

  handle.changes(contract.addSubscriptions, async ({ tx, input, actor }) => {
    const fatal = input.authorization_errors_fatal;
    const added = await addSubscriptions(tx, actor, {
      ...creationOptions(input),
      subscriptions: input.subscriptions,
      principals: input.principals,
      authorizationErrorsFatal: fatal,
      notifySubscribed: input.send_new_subscription_messages,
    });
    return {
      subscribed: added.subscribed,
      already_subscribed: added.alreadySubscribed,
      ...(fatal ? {} : { unauthorized: added.unauthorized }),
      ...(input.send_new_subscription_messages
        ? { new_subscription_messages_sent: added.notified }
        : {}),
    };
  }),

  handle.changes(contract.updateSubscriptions, async ({ tx, input, actor }) => {
    const updated = await updateSubscriptions(tx, actor, input);
    return {
      subscribed: updated.subscribed,
      already_subscribed: updated.alreadySubscribed,
      removed: updated.removed,
      not_removed: updated.notRemoved,
    };
  }),

  handle.changes(contract.removeSubscriptions, async ({ tx, input, actor }) => {
    const { removed, notRemoved } = await removeSubscriptions(tx, actor, input);
    return { removed, not_removed: notRemoved };
  }),

  handle.changes(contract.updateSubscriptionProperties, ({ tx, input, actor }) =>
    changeSubscriptions(tx, actor, input.subscription_data),
  ),

  handle.changes(contract.updateSubscriptionProperty, ({ tx, input, path, actor }) => {
    const { stream_id } = path;
    const { property, value } = input;
    const change =
      property === "color"
        ? { stream_id, property, value }
        : { stream_id, property, value: switchOf(property, value) };
    return changeSubscriptions(tx, actor, [change]);
  }),
];

/** Parses the value of a property that is true or false, or throws ApiError `BAD_REQUEST`. */
function switchOf(property: string, value: string): boolean {
  if (value === "true") return true;
  if (value === "false") return false;
  throw contract.errors.badRequest(`value must be true or false where property is ${property}`);
}
