import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { statusParameters } from "./status-parameters.ts";

/** `POST /users/{user_id}/status` (clients.md §4). */
export const updateStatusOfUser = operation({
  id: "update-status-for-user",
  method: "POST",
  path: "/api/v1/users/{user_id}/status",
  pathParams: { user_id: path.int() },
  access: "administrator",
  summary: "Update a user's status",
  example: { params: { status_text: "On holiday" } },
  description: "What is not sent stays as it is. Active people have a status, bots have none.",
  params: statusParameters,
});
