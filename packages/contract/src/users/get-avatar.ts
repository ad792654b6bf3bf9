import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /avatar/{user_id}` (clients.md §4). */
export const getAvatar = operation({
  id: "get-avatar",
  method: "GET",
  path: "/avatar/{user_id}",
  access: "account",
  raw: true,
  missingIs404: true,
  summary: "Get a user's picture",
  description:
    "Answers 302 with the picture's address, the `avatar_url` of the account, for clients that were not told it " +
    "(`user_avatar_url_field_optional`). Wants credentials, like every other way to it: the address is made from the " +
    "e-mail address, and would tell strangers who has an account.",
  pathParams: { user_id: path.int() },
});
