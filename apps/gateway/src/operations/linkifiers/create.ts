import { createLinkifier as operation } from "@carillon/contract";
import { createLinkifier } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => ({
  id: await createLinkifier(tx, actor, {
    pattern: input.pattern,
    urlTemplate: input.url_template,
  }),
}));
