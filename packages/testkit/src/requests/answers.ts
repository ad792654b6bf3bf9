import type { Answer } from "../gateway-client.ts";
import { expect } from "chai";

/** The answer's body, which has to be a success. */
export function succeeded(answer: Answer): Readonly<Record<string, unknown>> {
  expect(answer.status, answer.text).to.equal(200);
  expect(answer.body, answer.text).to.include({ result: "success", msg: "" });
  return answer.body;
}

/** The answer has to be a success without fields of its own. */
export function succeededWithoutFields(answer: Answer): void {
  expect(succeeded(answer)).to.deep.equal({ result: "success", msg: "" });
}

/** What of an answer says that it is a refusal: of `GatewayClient.call` as of `post` and the like. */
export type Refusable = Pick<Answer, "status" | "body">;

/** Of codes that are not answered with 400 (http-contract.md §2), written out: who changes one is to notice. */
const statuses: Readonly<Record<string, number>> = {
  UNAUTHORIZED: 401,
  AUTHENTICATION_FAILED: 401,
  USER_DEACTIVATED: 401,
  REALM_DEACTIVATED: 401,
  PASSWORD_RESET_REQUIRED: 401,
  PASSWORD_AUTH_DISABLED: 401,
  NOT_FOUND: 404,
  CHANNEL_ALREADY_EXISTS: 409,
  REQUEST_TOO_LARGE: 413,
};

/**
 * The answer has to be this refusal, with a message and exactly these extra fields (http-contract.md §2).
 * @param wanted the status, unless it is the one of the code
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

/** The path of every row that is not there, or not the caller's: 404 with `BAD_REQUEST`. */
export function missing(answer: Answer): void {
  refusedWith(answer, "BAD_REQUEST", {}, 404);
}
