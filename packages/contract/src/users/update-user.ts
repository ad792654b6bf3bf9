import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { updateUserDescription, updateUserParameters } from "./update-parameters.ts";

/** `PATCH /users/{user_id}` (users.md §3). */
export const updateUser = operation({
  id: "update-user",
  method: "PATCH",
  path: "/api/v1/users/{user_id}",
  access: "administrator",
  accessError: "BAD_REQUEST",
  summary: "Update a user",
  example: { params: { full_name: "Mona M. Moderator" } },
  description: updateUserDescription,
  pathParams: { user_id: path.int() },
  params: updateUserParameters,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
