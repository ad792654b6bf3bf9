import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { readUserParameters } from "./read-parameters.ts";
import { userObject } from "./user-object.ts";

/** `GET /users/{email}` (users.md §2). */
export const getUserByEmail = operation({
  id: "get-user-by-email",
  method: "GET",
  path: "/api/v1/users/{email}",
  access: "account",
  summary: "Get a user, named by e-mail address",
  description:
    "The address that everybody knows the user by, or the real one where the caller may see it.",
  pathParams: { email: path.text() },
  params: readUserParameters,
  result: { user: userObject },
});
