import { operation } from "../operation.ts";

/** `DELETE /users/me` (users.md §5). */
export const deactivateOwnUser = operation({
  id: "deactivate-own-user",
  method: "DELETE",
  path: "/api/v1/users/me",
  access: "account",
  summary: "Deactivate one's own account",
  example: { as: "guest" },
  description:
    "The caller's bots are deactivated first, as with `DELETE /users/{user_id}`. Nothing is deleted.",
  errors: ["CANNOT_DEACTIVATE_LAST_USER"],
});
