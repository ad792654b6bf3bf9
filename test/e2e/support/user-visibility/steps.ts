import {
  addSubscriptions,
  deactivateUser,
  reactivateUser,
  removeSubscriptions,
  sendMessage,
  updateRealm,
  updateStatus,
  updateSubscriptions,
  updateUser,
} from "@carillon/contract";
import { unique } from "@carillon/testkit";

import { allSteps } from "../walk/steps.ts";
import {
  anyId,
  decide,
  idsOf,
  pick,
  someone,
  step,
  type Course,
  type Walk,
  type WalkStep,
} from "../walk/walk.ts";

const lesser = ({ accounts, org }: Walk) =>
  accounts.filter(({ id }) => id !== org.owner.id && id !== org.admin.id);

/** Changes of the guests' visible accounts, by the owner, who may do everything. */
const changing: readonly WalkStep[] = [
  step(addSubscriptions, 10, (walk) => ({
    by: walk.org.owner,
    params: {
      subscriptions: [{ name: pick(walk, walk.channels).name }],
      principals: [pick(walk, lesser(walk)).id],
    },
  })),
  step(removeSubscriptions, 12, (walk) => ({
    by: walk.org.owner,
    params: {
      subscriptions: [pick(walk, walk.channels).name],
      principals: idsOf([pick(walk, lesser(walk)), pick(walk, lesser(walk))]),
    },
  })),
  step(sendMessage, 3, (walk) => ({
    by: someone(walk),
    params: { type: "direct", to: [pick(walk, lesser(walk)).id], content: "hello" },
  })),
  step(sendMessage, 12, (walk) => {
    const by = someone(walk);
    return {
      by,
      params: { type: "channel", to: pick(walk, walk.channels).id, topic: "hello", content: "hi" },
      onSuccess: ({ id }) => void walk.messages.push({ id: Number(id), by }),
    };
  }),
  step(deactivateUser, 4, (walk) => ({
    by: walk.org.owner,
    path: { user_id: pick(walk, lesser(walk)).id },
  })),
  step(reactivateUser, 8, (walk) => ({ by: walk.org.owner, path: { user_id: anyId(walk) } })),
  step(updateUser, 4, (walk) => ({
    by: walk.org.owner,
    path: { user_id: pick(walk, lesser(walk)).id },
    params: { role: pick(walk, [400, 400, 600, 600]) },
  })),
  step(updateUser, 3, (walk) => ({
    by: walk.org.owner,
    path: { user_id: pick(walk, lesser(walk)).id },
    params: { full_name: unique("a new name") },
  })),
  step(updateStatus, 6, (walk) => ({
    by: someone(walk),
    params: { status_text: unique("my status") },
  })),
  step(updateRealm, 5, (walk) => ({
    by: walk.org.owner,
    params: {
      can_access_all_users_group: {
        new: walk.org.groups[
          pick(walk, ["role:everyone", "role:members", "role:members", "role:members"] as const)
        ],
      },
    },
  })),
];

/**
 * All steps of a walk, with changes of visibility drawn as often as all others. Excludes the step that may subscribe
 * and unsubscribe in one request: it shows an account for a moment that no table records.
 */
export const visibilitySteps: Course = {
  makers: [
    ...allSteps.makers.filter(({ id }) => id !== updateSubscriptions.id),
    ...changing.flatMap((one) =>
      Array.from({ length: 2 * one.weight }, () => ({ make: (walk: Walk) => decide(walk, one) })),
    ),
  ],
  operations: allSteps.operations,
};
