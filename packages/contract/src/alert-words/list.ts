import { operation } from "../operation.ts";
import { wordsResult } from "./words.ts";

/** `GET /users/me/alert_words` (bot-storage-alert-words-navigation.md §2). */
export const listAlertWords = operation({
  id: "list-alert-words",
  method: "GET",
  path: "/api/v1/users/me/alert_words",
  access: "account",
  summary: "Get all alert words",
  result: wordsResult,
});
