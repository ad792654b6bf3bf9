import { flag, isFollowed, isMuted, resolvedPrefix } from "@carillon/model";
import {
  badOperand,
  narrowOperator,
  operandTypes,
  type NarrowContext,
  type RowIndex,
  type TermPlan,
} from "./operator.ts";

function flagged(index: RowIndex, ...bits: readonly number[]): () => TermPlan {
  const mask = bits.reduce((all, bit) => all | bit, 0);
  return () => ({
    row: () => `um.flags & ${mask} <> 0`,
    drive: { by: "rows", index },
    personalOnly: true,
  });
}

const direct = (): TermPlan => ({
  message: () => "NOT m.is_channel",
  matches: "direct",
  drive: { by: "rows", index: "direct" },
  personalOnly: true,
});

const states: Readonly<Record<string, (context: NarrowContext) => TermPlan>> = {
  dm: direct,
  private: direct,
  unread: () => ({
    row: () => `um.flags & ${flag.read} = 0`,
    drive: { by: "rows", index: "unread" },
    personalOnly: true,
  }),
  starred: flagged("starred", flag.starred),
  mentioned: flagged(
    "mentioned",
    flag.mentioned,
    flag.streamWildcardMentioned,
    flag.topicWildcardMentioned,
  ),
  alerted: flagged("alerted", flag.hasAlertWord),
  muted: ({ viewer }) => ({ message: isMuted(viewer, { channels: true }), personalOnly: true }),
  followed: ({ viewer }) => ({ message: isFollowed(viewer), personalOnly: true }),
  resolved: () => ({ message: () => `m.is_channel AND starts_with(m.topic, '${resolvedPrefix}')` }),
};

/** `is`: a state of the message or of the viewer's copy. */
export const is = narrowOperator({
  names: ["is"],
  operand: operandTypes.text,
  compile(operand, context) {
    const plan = Object.hasOwn(states, operand) ? states[operand] : undefined;
    if (!plan) throw badOperand("is", operand, Object.keys(states));
    return plan(context);
  },
});
