import { operation } from "../operation.ts";
import { wordsParameter, wordsResult } from "./words.ts";

/** `DELETE /users/me/alert_words` (bot-storage-alert-words-navigation.md §2). */
export const removeAlertWords = operation({
  id: "remove-alert-words",
  method: "DELETE",
  path: "/api/v1/users/me/alert_words",
  access: "account",
  summary: "Remove alert words",
  example: { params: { alert_words: ["carillon"] } },
  description: "Answers with the words that are left.",
  params: { alert_words: wordsParameter.describe("In whatever case; unknown ones are ignored.") },
  result: wordsResult,
});
