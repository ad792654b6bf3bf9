import { type SqlValues, isMuted } from "@carillon/model";
import { badOperand, narrowOperator, operandTypes } from "./operator.ts";

/** `in`: `home` is what is not muted, `all` everything. */
export const inView = narrowOperator({
  names: ["in"],
  operand: operandTypes.text,
  compile(operand, { viewer }) {
    if (operand === "all") return { ignoresNegation: true };
    if (operand !== "home") throw badOperand("in", operand, ["home", "all"]);
    const muted = isMuted(viewer, { channels: true });
    return { message: (values: SqlValues) => `NOT (${muted(values)})` };
  },
});
