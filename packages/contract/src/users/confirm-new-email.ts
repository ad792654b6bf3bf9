import { z } from "zod";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /accounts/confirm_new_email/{token}` (settings-and-profile-fields.md §1.3). */
export const confirmNewEmail = operation({
  id: "confirm-new-email",
  method: "GET",
  path: "/accounts/confirm_new_email/{token}",
  access: "anyone",
  summary: "Confirm a new e-mail address",
  example: {
    path: { token: "from-the-mail" },
    refused: [400, "nobody has asked for a new address"],
  },
  description:
    "What the link of the mail leads to that `PATCH /settings` with `email` sends. It works once, for 24 hours.",
  pathParams: { token: path.text() },
  result: { email: z.string() },
});
