import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** What the link of the mail names: the page, and the form on it. */
const mailedLink = {
  path: "/accounts/confirm_new_email/{token}",
  access: "anyone",
  pathParams: { token: path.text() },
  example: {
    path: { token: "from-the-mail" },
    refused: [400, "nobody has asked for a new address"],
  },
} as const;

/** `GET /accounts/confirm_new_email/{token}` (settings-and-profile-fields.md §1.3). */
export const showNewEmail = operation({
  id: "show-new-email",
  method: "GET",
  ...mailedLink,
  raw: [{ status: 200, about: "A page with a button that confirms it.", type: "text/html" }],
  summary: "Show a new e-mail address that is to be confirmed",
  description:
    "What the link of the mail leads to that `PATCH /settings` with `email` sends. It changes nothing: mail scanners and " +
    "browsers open links before a person does.",
});

/** `POST /accounts/confirm_new_email/{token}` (settings-and-profile-fields.md §1.3). */
export const confirmNewEmail = operation({
  id: "confirm-new-email",
  method: "POST",
  ...mailedLink,
  raw: [{ status: 200, about: "A page that says so.", type: "text/html" }],
  summary: "Confirm a new e-mail address",
  description:
    "What the button does on the page of `GET /accounts/confirm_new_email/{token}`: the account has the address at once. " +
    "It works once, for 24 hours.",
});
