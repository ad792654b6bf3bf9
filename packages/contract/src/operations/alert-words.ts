import { z } from "zod";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";

/** Alert words of one account: each change tells its clients all of them. */
export const maxAlertWords = 10_000;

/** The words of a request. */
const wordsParameter = form.json(z.array(z.string()), {
  most: { count: maxAlertWords, of: "alert words" },
});

/** All words of the account. */
const wordsResult = { alert_words: z.array(z.string()) };

/** `GET /users/me/alert_words` (bot-storage-alert-words-navigation.md §2). */
export const listAlertWords = operation({
  id: "list-alert-words",
  method: "GET",
  path: "/api/v1/users/me/alert_words",
  access: "account",
  summary: "Get all alert words",
  result: wordsResult,
});

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
