import { ApiError, commonErrors } from "@carillon/contract";
import { z } from "zod";
import type { Handler } from "./handler.ts";

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
      const parsed = declared.safeParse(answer ?? {});
      if (parsed.success) return answer;
      throw new Error(
        `${operation.id} answers what it does not declare: ${z.prettifyError(parsed.error)}`,
      );
    },
  };
}

function isDeclared({ operation }: Handler, { code }: ApiError): boolean {
  return (
    commonErrors.has(code) || operation.errors.includes(code) || operation.accessError === code
  );
}
