import * as z from "zod";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";

/** Maximum number of alert words of one account: each change sends all of them to the account's clients. */
export const maxAlertWords = 10_000;

/** The words of a request. */
const wordsParameter = form.json(z.array(z.string()), {
  maxItems: { count: maxAlertWords, of: "alert words" },
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
  idempotencyKey: true,
  summary: "Add alert words",
  example: { params: { alert_words: ["carillon"] } },
  description: "The answer has all alert words of the account.",
  params: {
    alert_words: wordsParameter.describe(
      "Words or phrases of at most 100 characters. Existing ones, compared without case, stay as they are.",
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
  idempotencyKey: true,
  summary: "Remove alert words",
  example: { params: { alert_words: ["carillon"] } },
  description: "The answer has the remaining words.",
  params: {
    alert_words: wordsParameter.describe("Compared without case; unknown words are ignored."),
  },
  result: wordsResult,
});

export const alertWordsChanged = event({
  type: "alert_words",
  about: "The account's alert words changed: the event has all of them.",
  to: "some",
  receivers: "the account",
  fields: { alert_words: z.array(z.string()) },
  snapshot: { field: "alert_words", becomes: "alert_words" },
});
