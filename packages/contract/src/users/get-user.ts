import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { readUserParameters } from "./read-parameters.ts";
import { userObject } from "./user-object.ts";

/** `GET /users/{user_id}` (users.md §2). */
export const getUser = operation({
  id: "get-user",
  method: "GET",
  path: "/api/v1/users/{user_id}",
  access: "account",
  summary: "Get a user",
  pathParams: { user_id: path.int() },
  params: readUserParameters,
  result: { user: userObject },
});
