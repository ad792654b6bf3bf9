import { operation } from "../operation.ts";
import { statusParameters } from "./status-parameters.ts";

/** `POST /users/me/status` (clients.md §4). */
export const updateStatus = operation({
  id: "update-status",
  method: "POST",
  path: "/api/v1/users/me/status",
  access: "human",
  summary: "Update your status",
  example: { params: { status_text: "At lunch", emoji_name: "hamburger" } },
  description:
    "What is not sent stays as it is: send the text, or the emoji, or both. Empty takes it away.",
  params: statusParameters,
});
