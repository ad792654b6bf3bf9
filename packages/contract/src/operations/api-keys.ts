import { z } from "zod";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";

/** The credentials of a client. */
const apiKeyAnswer = {
  api_key: z.string(),
  /** The delivery address, as it is stored. */
  email: z.string(),
  user_id: z.int(),
};

/** `POST /fetch_api_key` (users.md §1). */
export const fetchApiKey = operation({
  id: "fetch-api-key",
  method: "POST",
  path: "/api/v1/fetch_api_key",
  access: "anyone",
  summary: "Exchange a password for the API key",
  example: { params: { username: "member@carillon.test", password: "$PASSWORD" } },
  description: "Returns the existing key, and never changes it.",
  params: {
    username: form.text().describe("The account's e-mail address."),
    password: form.text(),
  },
  result: apiKeyAnswer,
  errors: [
    "AUTHENTICATION_FAILED",
    "USER_DEACTIVATED",
    "REALM_DEACTIVATED",
    "PASSWORD_RESET_REQUIRED",
    "PASSWORD_AUTH_DISABLED",
  ],
});

/** `POST /dev_fetch_api_key` (users.md §1). */
export const devFetchApiKey = operation({
  id: "dev-fetch-api-key",
  method: "POST",
  path: "/api/v1/dev_fetch_api_key",
  access: "anyone",
  summary: "Get an API key without a password",
  example: { params: { username: "member@carillon.test" }, refused: [400, "DEVELOPMENT is off"] },
  description: "Only on a server with `DEVELOPMENT=true`.",
  params: { username: form.text().describe("The account's e-mail address.") },
  result: apiKeyAnswer,
  errors: ["AUTHENTICATION_FAILED", "USER_DEACTIVATED", "REALM_DEACTIVATED"],
});

/** `POST /users/me/api_key/regenerate` (users.md §1). */
export const regenerateApiKey = operation({
  id: "regenerate-api-key",
  method: "POST",
  path: "/api/v1/users/me/api_key/regenerate",
  access: "account",
  summary: "Regenerate one's own API key",
  example: { as: "moderator" },
  description:
    "The old key becomes invalid at once. Open polls with it get `UNAUTHORIZED`; event queues stay and accept the new key.",
  result: { api_key: z.string() },
});
