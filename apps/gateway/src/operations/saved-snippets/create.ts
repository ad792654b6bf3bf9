import { createSavedSnippet } from "@carillon/contract";
import { createSavedSnippet as create } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(createSavedSnippet, async ({ tx, input, actor }) => ({
  saved_snippet_id: await create(tx, actor, input),
}));
