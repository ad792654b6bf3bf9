import { hasProtectedHistory } from "@carillon/model";
import { errors } from "@carillon/contract";

import { narrowOperator, operandTypes } from "./operator.ts";

/** `channel`: by ID, or by name; a string of digits is a name. */
export const channel = narrowOperator({
  names: ["channel", "stream"],
  operand: operandTypes.textOrId,
  async compile(operand, { lookups }) {
    const found = await lookups.channel(operand);
    if (!found) throw errors.badNarrow(`there is no channel ${operand}`);
    return {
      message: (values) => `m.recipient_id = ${values.add(found.recipientId, "int")}`,
      drive: { by: "recipient", id: found.recipientId },
      matches: "channel",
      sharedHistory: found.readable && !hasProtectedHistory(found),
      channelReadable: found.readable,
    };
  },
});
