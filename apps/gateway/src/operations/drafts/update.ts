import { updateDraft } from "@carillon/contract";
import { updateDraft as update } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(updateDraft, ({ tx, path, input, actor }) =>
  update(tx, actor, path.draft_id, input.draft),
);
