import { updateSubscriptionProperties } from "@carillon/contract";
import { changeSubscriptions } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(updateSubscriptionProperties, ({ input, actor, services }) =>
  services.db.transaction((tx) => changeSubscriptions(tx, actor, input.subscription_data)),
);
