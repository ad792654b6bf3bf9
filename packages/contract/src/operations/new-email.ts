import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /accounts/confirm_new_email/{token}` (settings-and-profile-fields.md §1.3). */
export const showNewEmail = operation({
  id: "show-new-email",
  method: "GET",
  path: "/accounts/confirm_new_email/{token}",
  access: "anyone",
  raw: [{ status: 200, about: "A page with a button that confirms it.", type: "text/html" }],
  summary: "Show a new e-mail address that is to be confirmed",
  example: {
    path: { token: "from-the-mail" },
    refused: [400, "nobody has asked for a new address"],
  },
  description:
    "What the link of the mail leads to that `PATCH /settings` with `email` sends. It changes nothing: mail scanners and " +
    "browsers open links before a person does.",
  pathParams: { token: path.text() },
});

/** `POST /accounts/confirm_new_email/{token}` (settings-and-profile-fields.md §1.3). */
export const confirmNewEmail = operation({
  id: "confirm-new-email",
  method: "POST",
  path: "/accounts/confirm_new_email/{token}",
  access: "anyone",
  raw: [{ status: 200, about: "A page that says so.", type: "text/html" }],
  summary: "Confirm a new e-mail address",
  example: {
    path: { token: "from-the-mail" },
    refused: [400, "nobody has asked for a new address"],
  },
  description:
    "What the button does on the page of `GET /accounts/confirm_new_email/{token}`: the account has the address at once. " +
    "It works once, for 24 hours.",
  pathParams: { token: path.text() },
});
