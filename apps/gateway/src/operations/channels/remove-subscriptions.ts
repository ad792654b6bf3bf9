import { removeSubscriptions as operation } from "@carillon/contract";
import { removeSubscriptions } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => {
  const { removed, notRemoved } = await removeSubscriptions(tx, actor, input);
  return { removed, not_removed: notRemoved };
});
