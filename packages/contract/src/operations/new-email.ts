import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** The path of the link in the mail: of the page, and of the form on it. */
const mailedLink = {
  path: "/accounts/confirm_new_email/{token}",
  access: "anyone",
  pathParams: { token: path.text() },
  example: {
    path: { token: "from-the-mail" },
    refused: [400, "no new address was requested"],
  },
} as const;

/** `GET /accounts/confirm_new_email/{token}` (settings-and-profile-fields.md §1.3). */
export const showNewEmail = operation({
  id: "show-new-email",
  method: "GET",
  ...mailedLink,
  raw: [
    { status: 200, about: "A page with a button that confirms the address.", type: "text/html" },
  ],
  summary: "Show a new e-mail address to be confirmed",
  description:
    "The target of the link in the mail that `PATCH /settings` with `email` sends. The page changes nothing, because mail scanners and browsers open links before a person does.",
});

/** `POST /accounts/confirm_new_email/{token}` (settings-and-profile-fields.md §1.3). */
export const confirmNewEmail = operation({
  id: "confirm-new-email",
  method: "POST",
  ...mailedLink,
  raw: [{ status: 200, about: "A page with the result.", type: "text/html" }],
  summary: "Confirm a new e-mail address",
  description:
    "The button on the page of `GET /accounts/confirm_new_email/{token}` sends this request. The account gets the address at once. A link works once, within 24 hours.",
});
