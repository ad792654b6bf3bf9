import * as contract from "@carillon/contract";
import {
  createSavedSnippet,
  deleteSavedSnippet,
  listSavedSnippets,
  updateSavedSnippet,
} from "@carillon/domain";
import { handle } from "../handle.ts";
import { inPages } from "../http/pages.ts";

export default [
  handle.reads(contract.listSavedSnippets, async ({ sql, snapshot, actor }) => {
    const snippets = await snapshot((tx) => listSavedSnippets(tx, actor.id));
    return { saved_snippets: inPages(snippets, sql) };
  }),

  handle.changes(contract.createSavedSnippet, async ({ tx, input, actor }) => ({
    saved_snippet_id: await createSavedSnippet(tx, actor, input),
  })),

  handle.changes(contract.updateSavedSnippet, ({ tx, path, input, actor }) =>
    updateSavedSnippet(tx, actor, path.saved_snippet_id, input),
  ),

  handle.changes(contract.deleteSavedSnippet, ({ tx, path, actor }) =>
    deleteSavedSnippet(tx, actor, path.saved_snippet_id),
  ),
];
