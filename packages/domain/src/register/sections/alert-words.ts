import type { Section } from "../context/section.ts";
import { column, statement } from "@carillon/db";

const ofAccount = statement({
  name: "alert-words-of-account",
  text: "SELECT word FROM alert_words WHERE realm_id = $1 AND user_id = $2 ORDER BY id",
  row: { word: column.text },
});

/** The words that the account wants to be told of, in the order of their adding. */
export const alertWords: Section = {
  names: ["alert_words"],
  async load({ tx, realm, actor }) {
    const rows = await tx.rows(ofAccount, [realm.id, actor.id]);
    return { alert_words: rows.map(({ word }) => word) };
  },
};
