import { userIds } from "./dm.ts";
import { narrowOperator, operandTypes } from "./operator.ts";

/** `sender`: who wrote it, by ID or e-mail address. */
export const sender = narrowOperator({
  names: ["sender"],
  operand: operandTypes.textOrId,
  async compile(operand, context) {
    const [id = 0] = await userIds([operand], context);
    return {
      message: (values) => `m.sender_id = ${values.add(id, "int")}`,
      drive: { by: "sender", id },
    };
  },
});
