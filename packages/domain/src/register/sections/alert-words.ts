import { listAlertWords } from "../../alert-words/list-words.ts";
import type { Section } from "../context/section.ts";

/** The words that the account wants to be told of, in the order of their adding. */
export const alertWords: Section = {
  names: ["alert_words"],
  load: async ({ tx, actor }) => ({ alert_words: await listAlertWords(tx, actor) }),
};
