import { operation } from "../operation.ts";
import { wordsParameter, wordsResult } from "./words.ts";

/** `POST /users/me/alert_words` (bot-storage-alert-words-navigation.md §2). */
export const addAlertWords = operation({
  id: "add-alert-words",
  method: "POST",
  path: "/api/v1/users/me/alert_words",
  access: "account",
  summary: "Add alert words",
  example: { params: { alert_words: ["carillon"] } },
  description: "Answers with all words that the account has then.",
  params: {
    alert_words: wordsParameter.describe(
      "Words or phrases of at most 100 characters. Those that are there already, in whatever case, stay as they are.",
    ),
  },
  result: wordsResult,
});
