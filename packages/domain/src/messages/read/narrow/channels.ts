import { isPublicSql, isWebPublicSql } from "@carillon/model";
import { isGuest } from "@carillon/contract";

import { badOperand, narrowOperator, operandTypes } from "./operator.ts";

/** Conditions on a channel `c`. */
const kinds: Readonly<Record<string, { where: string; sharedHistory: boolean }>> = {
  public: { where: isPublicSql, sharedHistory: true },
  "web-public": { where: isWebPublicSql, sharedHistory: true },
  archived: { where: "c.is_archived", sharedHistory: false },
};

/** `channels`: any channel of a kind. */
export const channels = narrowOperator({
  names: ["channels", "streams"],
  operand: operandTypes.text,
  compile(operand, { viewer }) {
    const kind = Object.hasOwn(kinds, operand) ? kinds[operand] : undefined;
    if (!kind) throw badOperand("channels", operand, Object.keys(kinds));
    return {
      message: () => `EXISTS (SELECT 1 FROM recipients r JOIN channels c ON c.id = r.channel_id
        WHERE r.id = m.recipient_id AND ${kind.where} OFFSET 0)`,
      matches: "channel",
      sharedHistory: kind.sharedHistory && !isGuest(viewer),
      drive: { by: "channels", where: () => kind.where },
    };
  },
});
