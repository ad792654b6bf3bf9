import { listDrafts } from "@carillon/contract";
import { listDrafts as list, requireSynchronization } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { inPages } from "../../http/pages.ts";

export default handle.reads(listDrafts, async ({ sql, snapshot, actor }) => {
  const drafts = await snapshot(async (tx) => {
    await requireSynchronization(tx, actor);
    return list(tx, actor.id);
  });
  return { count: drafts.length, drafts: inPages(drafts, sql) };
});
