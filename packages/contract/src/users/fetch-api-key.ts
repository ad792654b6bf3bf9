import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { apiKeyAnswer } from "./api-key-answer.ts";

/** `POST /fetch_api_key` (users.md §1). */
export const fetchApiKey = operation({
  id: "fetch-api-key",
  method: "POST",
  path: "/api/v1/fetch_api_key",
  access: "anyone",
  summary: "Exchange a password for the API key",
  example: { params: { username: "member@carillon.test", password: "$PASSWORD" } },
  description: "Returns the existing key; asking never changes it.",
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
