import type { Reader } from "@carillon/model";
import { errors, isGuest } from "@carillon/contract";

import type { NarrowChannel } from "./lookups.ts";
import { narrowOperator, operandTypes } from "./operator.ts";

/** `channel`: by ID, or by name; a string of digits is a name. */
export const channel = narrowOperator({
  names: ["channel", "stream"],
  operand: operandTypes.textOrId,
  async compile(operand, { viewer, lookups }) {
    const found = await lookups.channel(operand);
    if (!found) throw errors.badNarrow(`there is no channel ${operand}`);
    return {
      message: (values) => `m.recipient_id = ${values.add(found.recipientId, "int")}`,
      drive: { by: "recipient", id: found.recipientId },
      matches: "channel",
      sharedHistory: mayReadFullHistory(viewer, found),
      channelReadable: found.readable,
    };
  },
});

/** Whether all that was ever written in the channel is open to the viewer, received or not (messages.md §2.1). */
export function mayReadFullHistory(viewer: Reader, found: NarrowChannel): boolean {
  if (found.isWebPublic) return true;
  if (!found.inviteOnly && !isGuest(viewer)) return true;
  return found.readable && found.historyPublicToSubscribers;
}
