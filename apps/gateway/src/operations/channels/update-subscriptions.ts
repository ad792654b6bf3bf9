import { updateSubscriptions as operation } from "@carillon/contract";
import { updateSubscriptions } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ input, actor, services }) => {
  const updated = await services.db.transaction((tx) => updateSubscriptions(tx, actor, input));
  return {
    subscribed: updated.subscribed,
    already_subscribed: updated.alreadySubscribed,
    removed: updated.removed,
    not_removed: updated.notRemoved,
  };
});
