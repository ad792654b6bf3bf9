import { recordIntents } from "@carillon/outbox";
import type { Tx } from "@carillon/db";
import { planPushes, type PlanPushesIntent } from "@carillon/jobs";
import type { NumberedMessage } from "@carillon/model";

/**
 * Writes down that it is to be found out to whom new messages are pushed (push.md §9): one intent for all of a
 * transaction, whatever their number, so that a burst costs little.
 * @param messages in the order of their ids; those of whose receivers somebody has a device
 */
export async function recordPushPlan(
  tx: Tx,
  realmId: number,
  messages: readonly NumberedMessage[],
): Promise<void> {
  const first = messages[0];
  if (!first) return;
  const payload = { messages: messages.map(called), after: 0 };
  await recordIntents(tx, realmId, planPushes, [{ key: String(first.id), payload }]);
}

function called({ id, rendered }: NumberedMessage): PlanPushesIntent["messages"][number] {
  const { mentionedUserIds: users, mentionedGroupIds: groups } = rendered;
  return {
    id,
    ...(users.length > 0 ? { users: [...users] } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(rendered.channelWildcard || rendered.topicWildcard ? { everybody: true as const } : {}),
  };
}
