import { reorderLinkifiers as operation } from "@carillon/contract";
import { reorderLinkifiers } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => {
  await reorderLinkifiers(tx, actor, input.ordered_linkifier_ids);
});
