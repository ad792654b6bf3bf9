import { membersOf } from "@carillon/model";
import { errors } from "@carillon/contract";

import { narrowOperator, operandTypes, type NarrowContext } from "./operator.ts";

/** `dm`: exactly the conversation between the viewer and these accounts; the viewer need not be named. */
export const dm = narrowOperator({
  names: ["dm", "pm-with", "pm_with"],
  operand: operandTypes.textOrIds,
  async compile(operand, context) {
    const named =
      typeof operand === "string" ? operand.split(",").map((part) => part.trim()) : operand;
    const ids = await userIds(named, context);
    const recipientId =
      ids.length > 0
        ? await context.lookups.conversation(membersOf(context.viewer.id, ids))
        : undefined;
    if (recipientId === undefined) return { message: () => "false", matches: "direct" };
    return {
      message: (values) => `m.recipient_id = ${values.add(recipientId, "int")}`,
      drive: { by: "recipient", id: recipientId },
      matches: "direct",
    };
  },
});

/** @throws ApiError `BAD_NARROW` for the first that is nobody's */
export async function userIds(
  named: readonly (string | number)[],
  { lookups }: NarrowContext,
): Promise<number[]> {
  const ids = await Promise.all(named.map((name) => lookups.user(name)));
  return ids.map((id, i) => {
    if (id === undefined) throw errors.badNarrow(`there is no user ${named[i]}`);
    return id;
  });
}
