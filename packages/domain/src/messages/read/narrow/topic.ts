import { narrowOperator, operandTypes } from "./operator.ts";

/** `topic`: equality without regard to case; the display name of the empty topic means the empty one. */
export const topic = narrowOperator({
  names: ["topic"],
  operand: operandTypes.text,
  compile(operand, { realm }) {
    const wanted = operand === realm.emptyTopicDisplayName ? "" : operand;
    return {
      message: (values) => `m.is_channel AND lower(m.topic) = lower(${values.add(wanted, "text")})`,
      matches: "channel",
      drive: { by: "topic" },
    };
  },
});
