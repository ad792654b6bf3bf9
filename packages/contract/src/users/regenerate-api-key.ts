import { z } from "zod";
import { operation } from "../operation.ts";

/** `POST /users/me/api_key/regenerate` (users.md §1). */
export const regenerateApiKey = operation({
  id: "regenerate-api-key",
  method: "POST",
  path: "/api/v1/users/me/api_key/regenerate",
  access: "account",
  summary: "Get another API key for oneself",
  example: { as: "moderator" },
  description:
    "The old key is refused from then on, everywhere. Polls that wait with it are answered with `UNAUTHORIZED`; " +
    "event queues stay, for the client that comes with the new key.",
  result: { api_key: z.string() },
});
