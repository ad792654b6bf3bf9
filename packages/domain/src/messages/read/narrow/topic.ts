import { narrowOperator, operandTypes } from "./operator.ts";

/** `topic`: equality without regard to case; the display name of the empty topic means the empty one. */
export const topic = narrowOperator({
  names: ["topic"],
  operand: operandTypes.text,
  async compile(operand, { realm }) {
    const { emptyTopicDisplayName } = await realm;
    const wanted = operand === emptyTopicDisplayName ? "" : operand;
    return {
      message: (values) => `m.is_channel AND lower(m.topic) = lower(${values.add(wanted, "text")})`,
      matches: "channel",
      drive: { by: "topic" },
    };
  },
});
