import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { page, pageForm } from "../primitives/page.ts";

/** `GET /accounts/login` (people.md §4.2). */
export const showLogin = operation({
  ...page,
  id: "show-login",
  method: "GET",
  path: "/accounts/login",
  raw: [{ status: 200, about: "The page.", type: "text/html" }],
  summary: "Show the form to sign in",
  description: "For the credentials file of a client that runs in a terminal.",
});

/** `POST /accounts/login` (people.md §4.2). */
export const logInOnPage = operation({
  ...page,
  id: "log-in-on-page",
  method: "POST",
  path: "/accounts/login",
  params: { ...pageForm, username: form.text().default(""), password: form.text().default("") },
  raw: [
    {
      status: 200,
      about: "A page whose button fetches the credentials once, within 10 minutes.",
      type: "text/html",
    },
  ],
  example: {
    params: { username: "member@carillon.test", password: "$PASSWORD" },
    refused: [403, "the form has no token"],
  },
  summary: "Sign in for a credentials file",
  description: "Attempts count like those of `POST /fetch_api_key`. There are no sessions.",
});

/** `POST /accounts/login/zuliprc` (people.md §4.2). */
export const fetchZuliprc = operation({
  ...page,
  id: "fetch-zuliprc",
  method: "POST",
  path: "/accounts/login/zuliprc",
  params: { ...pageForm, ticket: form.text().default("") },
  raw: [{ status: 200, about: "The file `zuliprc`.", type: "text/plain" }],
  example: { params: { ticket: "fromThePage" }, refused: [403, "the form has no token"] },
  summary: "Fetch the credentials file after a sign-in",
  description: "A ticket works once.",
});
