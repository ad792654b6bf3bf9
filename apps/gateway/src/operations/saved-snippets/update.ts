import { updateSavedSnippet } from "@carillon/contract";
import { updateSavedSnippet as update } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(updateSavedSnippet, ({ tx, path, input, actor }) =>
  update(tx, actor, path.saved_snippet_id, input),
);
