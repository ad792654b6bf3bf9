import {
  createBot,
  createUser,
  deactivateBot,
  deactivateOwnUser,
  deactivateUser,
  reactivateUser,
  updateBot,
  updateUser,
  updateUserByEmail,
} from "@carillon/contract";
import { unique } from "@carillon/testkit";

import { profileEntry } from "./profile-fields.ts";
import {
  anyId,
  maybe,
  pick,
  someone,
  someoneInCharge,
  step,
  type Walk,
  type WalkStep,
} from "./walk.ts";

/** An administrator's change of an account; acting accounts keep their address. */
function change(walk: Walk, id: number): Readonly<Record<string, unknown>> {
  const acts = walk.accounts.some((account) => account.id === id);
  return pick(walk, [
    { role: pick(walk, [100, 200, 300, 400, 400, 600, 600]) },
    { role: pick(walk, [400, 600]) },
    { full_name: unique("named") },
    ...(walk.profileFields.length > 0 ? [{ profile_data: [profileEntry(walk)] }] : []),
    acts ? { role: 300 } : { new_email: `${unique("moved")}@carillon.test` },
  ]);
}

/** Accounts that steps may change: not the first owner, so that an owner remains. */
function somebodyElse(walk: Walk): number {
  const id = anyId(walk);
  return id === walk.org.owner.id ? walk.org.guest.id : id;
}

/** Steps of accounts of people and bots. */
export const peopleSteps: readonly WalkStep[] = [
  step(createUser, 1, (walk) => {
    const name = unique("newcomer");
    const params = { email: `${name}@carillon.test`, full_name: name, password: unique("word") };
    const onSuccess = (made: Readonly<Record<string, unknown>>) =>
      void walk.others.push(made["user_id"] as number);
    return { by: walk.org.owner, params, onSuccess };
  }),
  step(updateUser, 5, (walk) => {
    const id = somebodyElse(walk);
    // Only owners with the permission may change addresses: the first one has it.
    const params = change(walk, id);
    const by = "new_email" in params ? walk.org.owner : someoneInCharge(walk);
    return { by, path: { user_id: id }, params };
  }),
  step(updateUserByEmail, 1, (walk) => ({
    by: someoneInCharge(walk),
    path: { email: someone(walk).deliveryEmail },
    params: { full_name: unique("called") },
  })),
  step(deactivateUser, 2, (walk) => ({
    by: someoneInCharge(walk),
    path: { user_id: somebodyElse(walk) },
    params: maybe(walk)
      ? {}
      : {
          actions: {
            delete_profile: maybe(walk),
            delete_public_channel_messages: maybe(walk),
            delete_private_channel_messages: maybe(walk),
            delete_direct_messages: maybe(walk),
          },
        },
  })),
  step(deactivateOwnUser, 1, (walk) => {
    const by = someone(walk);
    return by.id === walk.org.owner.id ? undefined : { by };
  }),
  step(reactivateUser, 6, (walk) => ({
    by: someoneInCharge(walk),
    path: { user_id: somebodyElse(walk) },
  })),
  step(createBot, 2, (walk) => {
    const name = unique("robot");
    const params = { full_name: name, short_name: name };
    const onSuccess = (made: Readonly<Record<string, unknown>>) =>
      void walk.bots.push(made["user_id"] as number);
    return { by: someone(walk), params, onSuccess };
  }),
  step(updateBot, 3, (walk) => {
    if (walk.bots.length === 0) return undefined;
    const params = pick(walk, [
      { full_name: unique("machine") },
      { bot_owner_id: someone(walk).id },
      { bot_owner_id: someone(walk).id, role: pick(walk, [300, 400, 600]) },
      { role: pick(walk, [100, 200, 400]) },
      { default_all_public_streams: maybe(walk) },
    ]);
    return { by: someoneInCharge(walk), path: { bot_id: pick(walk, walk.bots) }, params };
  }),
  step(deactivateBot, 1, (walk) => {
    if (walk.bots.length === 0) return undefined;
    return { by: someoneInCharge(walk), path: { bot_id: pick(walk, walk.bots) } };
  }),
];
