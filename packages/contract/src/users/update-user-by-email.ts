import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { updateUserDescription, updateUserParameters } from "./update-parameters.ts";

/** `PATCH /users/{email}` (users.md §3). */
export const updateUserByEmail = operation({
  id: "update-user-by-email",
  method: "PATCH",
  path: "/api/v1/users/{email}",
  access: "administrator",
  accessError: "BAD_REQUEST",
  summary: "Update a user, named by e-mail address",
  example: { params: { full_name: "Mona Moderator" } },
  description: updateUserDescription,
  pathParams: { email: path.text() },
  params: updateUserParameters,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
