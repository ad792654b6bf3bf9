import { listDrafts } from "@carillon/contract";
import { listDrafts as list, requireSynchronization } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(listDrafts, async ({ snapshot, actor }) =>
  snapshot(async (tx) => {
    await requireSynchronization(tx, actor);
    const drafts = await list(tx, actor.id);
    return { count: drafts.length, drafts };
  }),
);
