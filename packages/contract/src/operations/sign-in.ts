import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { pageForm } from "../primitives/page.ts";

const beginning = {
  method: "GET",
  access: "anyone",
  page: true,
  missingIs404: true,
  params: {
    mobile_flow_otp: form
      .text({ anyText: true })
      .optional()
      .describe("The phone app's one-time pad, 64 hex digits: the app gets the API key."),
    web_client_otp: form
      .text({ anyText: true })
      .optional()
      .describe(
        "The browser client's one-time pad, 64 hex digits: the browser is sent to the client, with the API key.",
      ),
    desktop_flow_otp: form
      .text({ anyText: true })
      .optional()
      .describe("Not supported, because it would need a session."),
    link: form
      .text({ anyText: true })
      .optional()
      .describe("The key of the link with which the person joins."),
  },
  raw: [{ status: 302, about: "`Location` is the provider's page." }],
  example: { refused: [404, "no identity provider is configured"] },
} as const;

/** `GET /accounts/login/social/oidc` (people.md §5). */
export const beginSignIn = operation({
  id: "begin-sign-in",
  path: "/accounts/login/social/oidc",
  ...beginning,
  summary: "Sign in at the identity provider",
  description:
    "Clients get the address as `login_url` of `GET /server_settings`. The answer sets a cookie, which ties the sign-in to the browser for ten minutes.",
});

/** `GET /accounts/register/social/oidc` (people.md §5). */
export const beginSignUp = operation({
  id: "begin-sign-up",
  path: "/accounts/register/social/oidc",
  ...beginning,
  summary: "Sign up at the identity provider",
  description:
    "The same as `GET /accounts/login/social/oidc`, because the provider identifies the person.",
});

/** `GET /complete/oidc` (people.md §5). */
export const completeSignIn = operation({
  id: "complete-sign-in",
  method: "GET",
  path: "/complete/oidc",
  access: "anyone",
  page: true,
  missingIs404: true,
  params: {
    state: form.text({ anyText: true }).optional(),
    code: form.text({ anyText: true }).optional(),
    iss: form.text({ anyText: true }).optional(),
    error: form.text({ anyText: true }).optional(),
    error_description: form.text({ anyText: true }).optional(),
  },
  raw: [
    { status: 200, about: "A page with the account's `zuliprc` file.", type: "text/html" },
    {
      status: 302,
      about: "`Location` hands the encrypted API key to the phone app or the browser client.",
    },
  ],
  example: { refused: [404, "no identity provider is configured"] },
  summary: "Come back from the identity provider",
  description:
    "The provider sends the browser here, with a code that the server exchanges for the person's identity.",
});

/** `POST /complete/oidc` (people.md §5). */
export const nameNewAccount = operation({
  id: "name-new-account",
  method: "POST",
  path: "/complete/oidc",
  access: "anyone",
  page: true,
  missingIs404: true,
  params: {
    ...pageForm,
    ticket: form.text({ anyText: true }).default("").describe("From the form."),
    full_name: form.text({ anyText: true }).default(""),
    terms: form
      .text({ anyText: true })
      .default("")
      .describe("`true` if the person agrees to the terms; required if the server has some."),
  },
  raw: [
    {
      status: 200,
      about: "As `GET /complete/oidc`, with a link for the phone app.",
      type: "text/html",
    },
    { status: 303, about: "`Location` hands the encrypted API key to the browser client." },
    { status: 400, about: "The form again, with what is wrong.", type: "text/html" },
  ],
  example: { refused: [403, "the form has no token"] },
  summary: "Name a new account after a sign-in",
  description:
    "The form of `GET /complete/oidc` for a person who has no account yet, and whose name the provider does not tell.",
});
