import { badOperand, narrowOperator, operandTypes } from "./operator.ts";

/** Columns of messages that rendering fills. */
const columns: Readonly<Record<string, string>> = {
  link: "has_link",
  image: "has_image",
  attachment: "has_attachment",
};

/** `has`: what the content has in it. */
export const has = narrowOperator({
  names: ["has"],
  operand: operandTypes.text,
  compile(operand) {
    const column = Object.hasOwn(columns, operand) ? columns[operand] : undefined;
    if (!column) throw badOperand("has", operand, Object.keys(columns));
    return { message: () => `m.${column}` };
  },
});
