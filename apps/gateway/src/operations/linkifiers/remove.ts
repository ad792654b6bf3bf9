import { removeLinkifier as operation } from "@carillon/contract";
import { removeLinkifier } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, path, actor }) => {
  await removeLinkifier(tx, actor, path.filter_id);
});
