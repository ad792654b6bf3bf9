import { listSavedSnippets } from "@carillon/contract";
import { listSavedSnippets as list } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { inPages } from "../../http/pages.ts";

export default handle.reads(listSavedSnippets, async ({ sql, snapshot, actor }) => {
  const snippets = await snapshot((tx) => list(tx, actor.id));
  return { saved_snippets: inPages(snippets, sql) };
});
