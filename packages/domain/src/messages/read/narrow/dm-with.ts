import { userIds } from "./dm.ts";
import { narrowOperator, operandTypes, type NarrowContext, type TermPlan } from "./operator.ts";

/** Direct messages that the account takes part in, in conversations of at least so many. */
async function directWith(
  operand: string | number,
  context: NarrowContext,
  atLeast: number,
): Promise<TermPlan> {
  const [id] = await userIds([operand], context);
  return {
    message: (values) => `NOT m.is_channel AND EXISTS (SELECT 1 FROM recipients r
      WHERE r.id = m.recipient_id AND ${values.add(id, "int")} = ANY(r.member_ids)
        AND cardinality(r.member_ids) >= ${atLeast} OFFSET 0)`,
    drive: { by: "rows", index: "direct" },
    matches: "direct",
  };
}

/** `dm-with`: all direct messages that the account takes part in; of one's own account, all. */
export const dmWith = narrowOperator({
  names: ["dm-with", "dm-including"],
  operand: operandTypes.textOrId,
  compile: (operand, context) => directWith(operand, context, 1),
});

/** `group-pm-with`, deprecated: the same, in conversations of three and more. */
export const groupDmWith = narrowOperator({
  names: ["group-pm-with", "group_pm_with"],
  operand: operandTypes.textOrId,
  compile: (operand, context) => directWith(operand, context, 3),
});
