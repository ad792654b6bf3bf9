import { z } from "zod";
import { operation } from "../operation.ts";
import { userFields } from "./user-object.ts";

/** `GET /users/me` (users.md §2). */
export const getOwnUser = operation({
  id: "get-own-user",
  method: "GET",
  path: "/api/v1/users/me",
  access: "account",
  summary: "Get one's own account",
  result: {
    ...userFields,
    avatar_url: z.string(),
    /** The newest message that the account has received, −1 when there is none. */
    max_message_id: z.int(),
  },
});
