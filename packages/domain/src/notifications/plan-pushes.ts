import { recordIntents } from "@carillon/outbox";
import type { Tx } from "@carillon/db";
import { type PlannedPush, planPushes, type PlanPushesIntent, sendPushes } from "@carillon/jobs";
import { flag } from "@carillon/model";

import { devicesInCall } from "./call-size.ts";
import { type Candidate, groupsOf, loadCandidates } from "./candidates.ts";
import { loadGroupSizes, smallestGroup } from "./group-sizes.ts";
import { type Mention, triggerOf } from "./trigger.ts";

/** So many receivers are looked at in one transaction. */
const receiversAtOnce = 1_000;

/**
 * Finds out to whom messages are pushed (push.md §9), for one batch of their receivers, and writes down what is to be
 * sent; what is left to look at is the next intent's. Since both are written with the end of this one, each message is in
 * one intent only for each account: it is pushed once at most.
 * @param intentId its own, which names those that follow
 */
export async function planPushBatch(
  tx: Tx,
  realmId: number,
  intentId: number,
  intent: PlanPushesIntent,
): Promise<void> {
  const { messages } = intent;
  const [candidates, sizes] = await Promise.all([
    loadCandidates(tx, realmId, intent, receiversAtOnce),
    loadGroupSizes(tx, groupsOf(messages)),
  ]);
  const pushes = candidates.flatMap((candidate) => {
    const message = messages[candidate.place - 1]!;
    const mention = mentionOf(candidate, message.users ?? [], sizes);
    const triggered = triggerOf({ ...candidate, ...wildcardsOf(candidate), mention });
    if (!triggered) return [];
    const { userId, devices } = candidate;
    return [{ push: { userId, messageId: message.id, ...triggered }, devices }];
  });
  await recordIntents(
    tx,
    realmId,
    sendPushes,
    calls(pushes).map((call, i) => ({ key: `${intentId}-${i}`, payload: { pushes: call } })),
  );
  const last = candidates.length === receiversAtOnce ? candidates.at(-1) : undefined;
  if (!last) return;
  const rest = { messages: messages.slice(last.place - 1), after: last.userId };
  await recordIntents(tx, realmId, planPushes, [{ key: `after-${intentId}`, payload: rest }]);
}

function wildcardsOf({ flags }: Candidate) {
  return {
    topicWildcard: (flags & flag.topicWildcardMentioned) !== 0,
    channelWildcard: (flags & flag.streamWildcardMentioned) !== 0,
  };
}

/** What the message says by now decides whether somebody is mentioned, and what it said when it was sent how. */
function mentionOf(
  { flags, groupIds, userId }: Candidate,
  named: readonly number[],
  sizes: ReadonlyMap<number, number>,
): Mention | undefined {
  if ((flags & flag.mentioned) === 0) return undefined;
  const id = named.includes(userId) ? undefined : smallestGroup(groupIds, sizes);
  return id === undefined ? { kind: "personal" } : { kind: "group", id };
}

/** Parts what is to be sent into calls of the bouncer. */
function calls(
  pushes: ReadonlyArray<{ readonly push: PlannedPush; readonly devices: number }>,
): PlannedPush[][] {
  const parted: PlannedPush[][] = [];
  let left = 0;
  for (const { push, devices } of pushes) {
    if (devices > left || parted.length === 0) {
      parted.push([]);
      left = devicesInCall;
    }
    parted.at(-1)?.push(push);
    left -= devices;
  }
  return parted;
}
