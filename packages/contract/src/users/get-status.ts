import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { statusObject } from "./status-object.ts";

/** `GET /users/{user_id}/status` (clients.md §4). */
export const getStatus = operation({
  id: "get-status",
  method: "GET",
  path: "/api/v1/users/{user_id}/status",
  access: "account",
  summary: "Get a user's status",
  pathParams: { user_id: path.int() },
  result: { status: statusObject },
});
