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

/** The answer has to be this refusal, with a message and exactly these extra fields (http-contract.md §2). */
export function refusedWith(
  answer: Answer,
  code = "BAD_REQUEST",
  extra: Readonly<Record<string, unknown>> = {},
  status = 400,
): void {
  expect(answer.status, answer.text).to.equal(status);
  const { msg, ...rest } = answer.body;
  expect(msg, answer.text).to.be.a("string").that.is.not.equal("");
  expect(rest, answer.text).to.deep.equal({ result: "error", code, ...extra });
}

/** The path of every row that is not there, or not the caller's: 404 with `BAD_REQUEST`. */
export function missing(answer: Answer): void {
  refusedWith(answer, "BAD_REQUEST", {}, 404);
}
