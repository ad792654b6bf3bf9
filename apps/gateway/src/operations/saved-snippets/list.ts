import { listSavedSnippets } from "@carillon/contract";
import { listSavedSnippets as list } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(listSavedSnippets, async ({ sql, actor }) => ({
  saved_snippets: await list(sql, actor.id),
}));
