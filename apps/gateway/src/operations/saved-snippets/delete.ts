import { deleteSavedSnippet } from "@carillon/contract";
import { deleteSavedSnippet as remove } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(deleteSavedSnippet, ({ tx, path, actor }) =>
  remove(tx, actor, path.saved_snippet_id),
);
