import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { pageForm } from "../primitives/page-form.ts";

const page = { access: "anyone", page: true } as const;
const shown = [{ status: 200, about: "The page.", type: "text/html" }] as const;

/** `GET /register` (people.md §3). */
export const showSignUp = operation({
  ...page,
  id: "show-sign-up",
  method: "GET",
  path: "/register",
  raw: shown,
  missingIs404: true,
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
  missingIs404: true,
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
  raw: shown,
  missingIs404: true,
  summary: "Show that a mail for a sign-up is on its way",
});
