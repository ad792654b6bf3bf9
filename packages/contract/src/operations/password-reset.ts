import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { page, pageForm, shownPage } from "../primitives/page.ts";
import { path } from "../primitives/path.ts";

/** `GET /accounts/password/reset` (people.md §4.1). */
export const showResetRequest = operation({
  ...page,
  id: "show-reset-request",
  method: "GET",
  path: "/accounts/password/reset",
  raw: shownPage,
  summary: "Show the form for a password reset",
});

/** `POST /accounts/password/reset` (people.md §4.1). */
export const requestReset = operation({
  ...page,
  id: "request-reset",
  method: "POST",
  path: "/accounts/password/reset",
  params: { ...pageForm, email: form.text().default("") },
  raw: [{ status: 303, about: "A mail is on its way if the address has an account." }],
  example: { params: { email: "member@carillon.test" }, refused: [403, "the form has no token"] },
  summary: "Ask for a link to reset a password",
  description:
    "The answer does not tell whether the address has an account. The link works once, within 24 hours.",
});

/** `GET /accounts/password/reset/sent` (people.md §4.1). */
export const showResetSent = operation({
  ...page,
  id: "show-reset-sent",
  method: "GET",
  path: "/accounts/password/reset/sent",
  raw: shownPage,
  summary: "Show that a mail for a password reset is on its way",
});

/** The path of the link in the mail: of the page, and of the form on it. */
const mailedLink = {
  ...page,
  path: "/accounts/password/reset/{key}",
  pathParams: { key: path.key() },
} as const;

/** `GET /accounts/password/reset/{key}` (people.md §4.1). */
export const showReset = operation({
  ...mailedLink,
  id: "show-reset",
  method: "GET",
  raw: shownPage,
  example: { path: { key: "fromTheMail" }, refused: [404, "no password reset was requested"] },
  summary: "Show the form for a new password",
  description:
    "The target of the link in the mail. The page changes nothing, because mail scanners and browsers open links before a person does.",
});

/** `POST /accounts/password/reset/{key}` (people.md §4.1). */
export const resetPassword = operation({
  ...mailedLink,
  id: "reset-password",
  method: "POST",
  params: {
    ...pageForm,
    password: form.text().default(""),
    new_api_key: form
      .text()
      .default("")
      .describe(
        "A box: if it is ticked, replaces the API key too, as `POST /users/me/api_key/regenerate` does.",
      ),
  },
  raw: [{ status: 303, about: "The password is set. All links of the account are used up." }],
  example: {
    path: { key: "fromTheMail" },
    params: { password: "$PASSWORD" },
    refused: [403, "the form has no token"],
  },
  summary: "Set a password by a link",
});

/** `GET /accounts/password/reset/done` (people.md §4.1). */
export const showResetDone = operation({
  ...page,
  id: "show-reset-done",
  method: "GET",
  path: "/accounts/password/reset/done",
  raw: shownPage,
  summary: "Show that the password is set",
});
