import { updateSubscriptions as operation } from "@carillon/contract";
import { updateSubscriptions } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => {
  const updated = await updateSubscriptions(tx, actor, input);
  return {
    subscribed: updated.subscribed,
    already_subscribed: updated.alreadySubscribed,
    removed: updated.removed,
    not_removed: updated.notRemoved,
  };
});
