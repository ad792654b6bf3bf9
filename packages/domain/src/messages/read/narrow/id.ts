import { errors, maxId } from "@carillon/contract";

import { narrowOperator, operandTypes } from "./operator.ts";

/**
 * A message ID as operators take it.
 * @throws ApiError `BAD_NARROW` when it is none
 */
export function messageId(operator: string, operand: string | number): number {
  const id = /^[0-9]+$/.test(String(operand)) ? Number(operand) : Number.NaN;
  if (!(id <= maxId)) throw errors.badNarrow(`${operator}:${operand} is not the ID of a message`);
  return id;
}

/** `id`: exactly that message. */
export const id = narrowOperator({
  names: ["id"],
  operand: operandTypes.textOrId,
  compile(operand) {
    const wanted = messageId("id", operand);
    return {
      message: (values) => `m.id = ${values.add(wanted, "bigint")}`,
      drive: { by: "message", id: wanted },
    };
  },
});
