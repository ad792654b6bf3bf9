import * as z from "zod";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { userFields } from "./users.ts";

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

/** `POST /jwt/fetch_api_key` (people.md §5). */
export const jwtFetchApiKey = operation({
  id: "jwt-fetch-api-key",
  method: "POST",
  path: "/api/v1/jwt/fetch_api_key",
  access: "anyone",
  summary: "Exchange a signed token for the API key",
  example: {
    params: { token: "header.payload.signature" },
    refused: [400, "JWT_AUTH_KEY is not set"],
  },
  description:
    "For programs that sign people in themselves and share a key with the server (`JWT_AUTH_KEY`). The token is a JSON Web Token with the claims `email` and `exp`.",
  params: {
    token: form.text(),
    include_profile: form.bool().default(false).describe("Whether to return the account, too."),
  },
  result: {
    api_key: z.string(),
    email: z.string(),
    /** If asked for. */
    user: z
      .strictObject({ ...userFields, avatar_url: z.string(), max_message_id: z.int() })
      .optional(),
  },
  errors: ["AUTHENTICATION_FAILED", "USER_DEACTIVATED", "REALM_DEACTIVATED"],
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
