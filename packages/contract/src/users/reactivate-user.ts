import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `POST /users/{user_id}/reactivate` (users.md §5). */
export const reactivateUser = operation({
  id: "reactivate-user",
  method: "POST",
  path: "/api/v1/users/{user_id}/reactivate",
  access: "administrator",
  accessError: "BAD_REQUEST",
  summary: "Reactivate a user",
  example: { made: { USER_ID: ["create-user", "user_id"] }, path: { user_id: "$USER_ID" } },
  description:
    "For administrators of the organization. The account has its key, role, subscriptions and groups again; the bots " +
    "of a user stay deactivated. A bot whose owner is deactivated becomes the caller's.",
  pathParams: { user_id: path.int() },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
