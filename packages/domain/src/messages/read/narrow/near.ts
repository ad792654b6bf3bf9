import { narrowOperator, operandTypes } from "./operator.ts";

/** `near`: has no effect; clients use it for where to scroll to. */
export const near = narrowOperator({
  names: ["near"],
  operand: operandTypes.text,
  compile: () => ({ ignoresNegation: true }),
});
