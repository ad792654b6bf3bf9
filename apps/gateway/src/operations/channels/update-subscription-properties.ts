import { updateSubscriptionProperties } from "@carillon/contract";
import { changeSubscriptions } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(updateSubscriptionProperties, ({ tx, input, actor }) =>
  changeSubscriptions(tx, actor, input.subscription_data),
);
