import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { page, pageForm, shownPage } from "../primitives/page.ts";

/** `GET /register` (people.md §3). */
export const showSignUp = operation({
  ...page,
  id: "show-sign-up",
  method: "GET",
  path: "/register",
  raw: shownPage,
  summary: "Show the form for a sign-up",
  description:
    "Asks for an e-mail address. Where people need an invitation (`invite_required`) the page says so and has no form.",
});

/** `POST /register` (people.md §3). */
export const signUp = operation({
  ...page,
  id: "sign-up",
  method: "POST",
  path: "/register",
  params: { ...pageForm, email: form.text().default("") },
  raw: [{ status: 303, about: "A mail is on its way, whatever the address is." }],
  example: { params: { email: "new@carillon.test" }, refused: [403, "the form has no token"] },
  summary: "Ask for a link to sign up",
  description:
    "The answer does not tell whether the address has an account: the mail does. The link works for 24 hours.",
});

/** `GET /register/sent` (people.md §3). */
export const showSignUpSent = operation({
  ...page,
  id: "show-sign-up-sent",
  method: "GET",
  path: "/register/sent",
  raw: shownPage,
  summary: "Show that a mail for a sign-up is on its way",
});
