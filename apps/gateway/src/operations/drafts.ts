import * as contract from "@carillon/contract";
import {
  createDrafts,
  deleteDraft,
  listDrafts,
  requireSynchronization,
  updateDraft,
} from "@carillon/domain";
import { handle } from "../handle.ts";
import { inPages } from "../http/pages.ts";

export default [
  handle.reads(contract.listDrafts, async ({ sql, snapshot, actor }) => {
    const drafts = await snapshot(async (tx) => {
      await requireSynchronization(tx, actor);
      return listDrafts(tx, actor.id);
    });
    return { count: drafts.length, drafts: inPages(drafts, sql) };
  }),

  handle.changes(contract.createDrafts, async ({ tx, input, actor }) => ({
    ids: await createDrafts(tx, actor, input.drafts),
  })),

  handle.changes(contract.updateDraft, ({ tx, path, input, actor }) =>
    updateDraft(tx, actor, path.draft_id, input.draft),
  ),

  handle.changes(contract.deleteDraft, ({ tx, path, actor }) =>
    deleteDraft(tx, actor, path.draft_id),
  ),
];
