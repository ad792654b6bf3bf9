import { listSavedSnippets } from "../../saved-snippets/snippet.ts";
import type { Section } from "../context/section.ts";

/** Texts that the account keeps to write them again. */
export const savedSnippets: Section = {
  names: ["saved_snippets"],
  load: async ({ tx, actor }) => ({ saved_snippets: await listSavedSnippets(tx, actor.id) }),
};
