import { ApiError, commonErrors } from "@carillon/contract";
import { z } from "zod";
import type { Handler } from "./handler.ts";
import { Pages } from "./pages.ts";

/**
 * The handler, compared with its declaration on every call, to the field: an undeclared answer or refusal fails.
 * For tests; in production nobody pays for it.
 */
export function checked<Services>(handler: Handler<Services>): Handler<Services> {
  const { operation } = handler;
  if (operation.raw) return handler;
  const declared = operation.moreFields
    ? z.looseObject(operation.result)
    : z.strictObject(operation.result);
  return {
    operation,
    async run(context) {
      const answer = await handler.run(context).catch((error: unknown) => {
        if (error instanceof ApiError && !isDeclared(handler, error)) {
          throw new Error(`${operation.id} refuses with ${error.code}, which it does not declare`);
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

/** What is read in pages is looked at when it is read, each page as if it were the list. */
function checkedAnswer(answer: object, check: (answer: object) => void): object {
  const paged = Object.entries(answer).filter(([, value]) => value instanceof Pages);
  const whole = { ...answer, ...Object.fromEntries(paged.map(([name]) => [name, []])) };
  check(whole);
  if (paged.length === 0) return answer;
  const later = paged.map(([name, list]) => {
    const read = async function* () {
      for await (const page of (list as Pages<unknown>).read()) {
        check({ ...whole, [name]: page });
        yield page;
      }
    };
    return [name, new Pages(read)];
  });
  return { ...answer, ...Object.fromEntries(later) };
}

function isDeclared({ operation }: Handler, { code }: ApiError): boolean {
  return (
    commonErrors.has(code) || operation.errors.includes(code) || operation.accessError === code
  );
}
