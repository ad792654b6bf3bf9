import { ApiError, refusalsOf } from "@carillon/contract";
import * as z from "zod";
import { statusOf } from "./error-response.ts";
import type { Handler } from "./handler.ts";
import { JsonText, Pages } from "./pages.ts";

/**
 * Wraps a handler so that every answer and refusal is compared with its declaration, field by field: undeclared ones
 * fail. For tests only.
 */
export function checked<Services>(handler: Handler<Services>): Handler<Services> {
  const { operation } = handler;
  if (operation.raw) return handler;
  const declared = operation.moreFields
    ? z.looseObject(operation.result)
    : z.strictObject(operation.result);
  return {
    ...handler,
    async run(context) {
      const answer = await handler.run(context).catch((error: unknown) => {
        if (error instanceof ApiError && !isDeclared(handler, error)) {
          throw new Error(
            `${operation.id} refuses with ${statusOf(error)} ${error.code}, which it does not declare`,
          );
        }
        throw error;
      });
      return checkedAnswer(answer ?? {}, (given) => {
        const parsed = declared.safeParse(given);
        if (parsed.success) return;
        throw new Error(
          `${operation.id} answers what it does not declare: ${z.prettifyError(parsed.error)}`,
        );
      });
    },
  };
}

/** Passes the pieces of a text on, and checks the whole text after the last piece. */
async function* checkedText(text: JsonText, check: (value: unknown) => void) {
  let whole = "";
  for await (const piece of text.read()) {
    whole += piece.toString();
    yield piece;
  }
  check(JSON.parse(whole));
}

/**
 * Checks an answer. Parts that are read while the answer is sent are checked when they are read; each page is checked as if it
 * were the whole list.
 */
function checkedAnswer(answer: object, check: (answer: object) => void): object {
  const later = Object.entries(answer).filter(
    ([, value]) => value instanceof Pages || value instanceof JsonText,
  );
  const none = later.map(([name, value]) => [name, value instanceof Pages ? [] : {}]);
  const whole = { ...answer, ...Object.fromEntries(none) };
  check(whole);
  if (later.length === 0) return answer;
  const checkedLater = later.map(([name, value]) => {
    const checkPart = (part: unknown) => check({ ...whole, [name]: part });
    if (value instanceof JsonText) return [name, new JsonText(() => checkedText(value, checkPart))];
    const read = async function* () {
      for await (const page of (value as Pages<unknown>).read()) {
        checkPart(page);
        yield page;
      }
    };
    return [name, new Pages(read)];
  });
  return { ...answer, ...Object.fromEntries(checkedLater) };
}

function isDeclared({ operation }: Handler, error: ApiError): boolean {
  return refusalsOf(operation).get(statusOf(error))?.has(error.code) ?? false;
}
