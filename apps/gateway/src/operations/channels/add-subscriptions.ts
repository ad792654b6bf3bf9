import { addSubscriptions as operation } from "@carillon/contract";
import { addSubscriptions } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { creationOptions } from "./creation-options.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => {
  const fatal = input.authorization_errors_fatal;
  const added = await addSubscriptions(tx, actor, {
    ...creationOptions(input),
    subscriptions: input.subscriptions,
    principals: input.principals,
    authorizationErrorsFatal: fatal,
    tellSubscribed: input.send_new_subscription_messages,
  });
  return {
    subscribed: added.subscribed,
    already_subscribed: added.alreadySubscribed,
    ...(fatal ? {} : { unauthorized: added.unauthorized }),
    ...(input.send_new_subscription_messages ? { new_subscription_messages_sent: added.told } : {}),
  };
});
