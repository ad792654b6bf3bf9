import type { Answer } from "../gateway-client.ts";
import { expect } from "chai";

/** Returns the body of an answer that must be a success. */
export function succeeded(answer: Answer): Readonly<Record<string, unknown>> {
  expect(answer.status, answer.text).to.equal(200);
  expect(answer.body, answer.text).to.include({ result: "success", msg: "" });
  return answer.body;
}

/** Checks that the response is a success without further fields. */
export function succeededWithoutFields(answer: Answer): void {
  expect(succeeded(answer)).to.deep.equal({ result: "success", msg: "" });
}

/** The fields of a response that identify a refusal. */
export type Refusable = Pick<Answer, "status" | "body">;

/** Statuses of error codes other than 400 (http-contract.md §2), repeated here to detect changes. */
const statuses: Readonly<Record<string, number>> = {
  UNAUTHORIZED: 401,
  INVALID_API_KEY: 401,
  AUTHENTICATION_FAILED: 401,
  USER_DEACTIVATED: 401,
  REALM_DEACTIVATED: 401,
  PASSWORD_RESET_REQUIRED: 401,
  PASSWORD_AUTH_DISABLED: 401,
  NOT_FOUND: 404,
  CHANNEL_ALREADY_EXISTS: 409,
  IDEMPOTENCY_KEY_IN_USE: 409,
  REQUEST_TOO_LARGE: 413,
  IDEMPOTENCY_KEY_REUSED: 422,
};

/**
 * Checks that the response is this refusal, with a message and exactly these extra fields (http-contract.md §2).
 * @param wanted the status; default: the code's status
 */
export function refusedWith(
  { status, body }: Refusable,
  code = "BAD_REQUEST",
  extra: Readonly<Record<string, unknown>> = {},
  wanted = statuses[code] ?? 400,
): void {
  const text = JSON.stringify(body);
  expect(status, text).to.equal(wanted);
  const { msg, ...rest } = body;
  expect(msg, text).to.be.a("string").that.is.not.equal("");
  expect(rest, text).to.deep.equal({ result: "error", code, ...extra });
}

/** Checks the response for a missing or foreign row: 404 with `BAD_REQUEST`. */
export function missing(answer: Answer): void {
  refusedWith(answer, "BAD_REQUEST", {}, 404);
}
