import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /avatar/{user_id}` (clients.md §4). */
export const getAvatar = operation({
  id: "get-avatar",
  method: "GET",
  path: "/avatar/{user_id}",
  access: "account",
  raw: [
    { status: 200, about: "A picture that tells nothing of the account.", type: "image/png" },
    { status: 302, about: "`Location` is the address of the account's picture." },
  ],
  missingIs404: true,
  summary: "Get a user's picture",
  description:
    "Where the caller may see the account's e-mail address, the answer is 302 with the address of a picture that is " +
    "made from it; else a picture as PNG that tells nothing of it, and that may be kept for a day. Wants credentials: " +
    "strangers are not told who has an account.",
  pathParams: { user_id: path.int() },
  params: {
    version: form.text({ anyText: true }).optional().describe("The account's `avatar_version`."),
    s: form
      .int({ min: 1, max: 500 })
      .default(100)
      .describe("Width and height of a generated picture, in pixels."),
  },
});
