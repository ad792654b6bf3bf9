import { deleteDraft } from "@carillon/contract";
import { deleteDraft as remove } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(deleteDraft, ({ tx, path, actor }) =>
  remove(tx, actor, path.draft_id),
);
