import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `POST /users` (users.md §5). */
export const createUser = operation({
  id: "create-user",
  method: "POST",
  path: "/api/v1/users",
  access: "administrator",
  summary: "Create a user",
  example: {
    params: {
      email: "new-$RANDOM@carillon.test",
      password: "a long passphrase of theirs",
      full_name: "Nora Newcomer",
    },
  },
  description: "For administrators whose account may create users; the new account is a member.",
  params: {
    email: form.text(),
    password: form.text().describe("6 to 100 characters, and none of the most common passwords."),
    full_name: form.text().describe("1 to 100 characters."),
  },
  result: { user_id: z.int() },
});
