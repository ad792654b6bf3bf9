import { updateLinkifier as operation } from "@carillon/contract";
import { updateLinkifier } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, path, input, actor }) => {
  const { pattern, url_template: urlTemplate } = input;
  await updateLinkifier(tx, actor, path.filter_id, { pattern, urlTemplate });
});
