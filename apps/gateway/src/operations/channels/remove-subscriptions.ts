import { removeSubscriptions as operation } from "@carillon/contract";
import { removeSubscriptions } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ input, actor, services }) => {
  const { removed, notRemoved } = await services.db.transaction((tx) =>
    removeSubscriptions(tx, actor, input),
  );
  return { removed, not_removed: notRemoved };
});
