import { badOperand, narrowOperator, operandTypes } from "./operator.ts";

/** Columns of messages that rendering fills, and what lies in other tables. */
const conditions: Readonly<Record<string, string>> = {
  link: "m.has_link",
  image: "m.has_image",
  attachment: "m.has_attachment",
  reaction: "EXISTS (SELECT FROM reactions reaction WHERE reaction.message_id = m.id)",
};

/** `has`: what the message has in it, or on it. */
export const has = narrowOperator({
  names: ["has"],
  operand: operandTypes.text,
  compile(operand) {
    const condition = Object.hasOwn(conditions, operand) ? conditions[operand] : undefined;
    if (!condition) throw badOperand("has", operand, Object.keys(conditions));
    return { message: () => condition };
  },
});
