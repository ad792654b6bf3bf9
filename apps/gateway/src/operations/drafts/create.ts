import { createDrafts } from "@carillon/contract";
import { createDrafts as create } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(createDrafts, async ({ tx, input, actor }) => ({
  ids: await create(tx, actor, input.drafts),
}));
