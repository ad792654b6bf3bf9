import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { apiKeyAnswer } from "./api-key-answer.ts";

/** `POST /dev_fetch_api_key` (users.md §1). */
export const devFetchApiKey = operation({
  id: "dev-fetch-api-key",
  method: "POST",
  path: "/api/v1/dev_fetch_api_key",
  access: "anyone",
  summary: "Get an API key without a password",
  example: { params: { username: "member@carillon.test" }, refused: [400, "DEVELOPMENT is off"] },
  description: "Only where the server runs with `DEVELOPMENT=true`.",
  params: { username: form.text().describe("The account's e-mail address.") },
  result: apiKeyAnswer,
  errors: ["AUTHENTICATION_FAILED", "USER_DEACTIVATED", "REALM_DEACTIVATED"],
});
