import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `DELETE /default_streams` (channels.md §8). */
export const removeDefaultChannel = operation({
  id: "remove-default-channel",
  method: "DELETE",
  path: "/api/v1/default_streams",
  access: "account",
  summary: "Remove a default channel",
  example: { as: "owner" },
  description: "Who is subscribed to it stays so. For administrators.",
  params: { stream_id: form.id() },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
