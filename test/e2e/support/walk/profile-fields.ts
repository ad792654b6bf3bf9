import {
  createProfileField,
  deleteProfileField,
  removeOwnProfile,
  reorderProfileFields,
  updateOwnProfile,
  updateProfileField,
} from "@carillon/contract";
import { unique } from "@carillon/testkit";

import {
  idsOf,
  maybe,
  pick,
  some,
  someone,
  someoneInCharge,
  step,
  type Walk,
  type WalkStep,
} from "./walk.ts";

const choices = (...keys: readonly string[]) =>
  Object.fromEntries(keys.map((key, index) => [key, { text: `choice ${key}`, order: `${index}` }]));

/** A value for a random field; some values do not fit the field's type. */
export function profileEntry(walk: Walk): Readonly<Record<string, unknown>> {
  const { id, type } = pick(walk, walk.profileFields);
  const value = pick<unknown>(walk, [
    null,
    ...(type === 6
      ? [idsOf(some(walk, walk.accounts)), [someone(walk).id]]
      : type === 3
        ? ["a", "b", "c"]
        : ["*said*", "@**all** $$x$$", "2026-02-28"]),
  ]);
  return { id, value };
}

/** Steps of custom profile fields and their values. */
export const profileFieldSteps: readonly WalkStep[] = [
  step(createProfileField, 2, (walk) => {
    const type = pick(walk, [1, 2, 3, 3, 4, 6, 6, 8]);
    return {
      by: someoneInCharge(walk),
      params: {
        field_type: type,
        name: unique("field"),
        editable_by_user: walk.chance.below(4) > 0,
        ...(type === 3 ? { field_data: choices("a", "b", "c") } : {}),
      },
      onSuccess: ({ id }) => void walk.profileFields.push({ id: id as number, type }),
    };
  }),
  step(updateProfileField, 3, (walk) => {
    if (walk.profileFields.length === 0) return undefined;
    const { id, type } = pick(walk, walk.profileFields);
    const keys = pick(walk, [["a"], ["a", "b"], ["b", "c"], ["a", "b", "c"]]);
    const params = pick(walk, [
      { name: unique("called"), hint: pick(walk, ["", "what of?"]) },
      { display_in_profile_summary: maybe(walk) },
      { required: maybe(walk), editable_by_user: maybe(walk) },
      type === 3 ? { field_data: choices(...keys) } : { hint: unique("hint") },
    ]);
    return { by: someoneInCharge(walk), path: { field_id: id }, params };
  }),
  step(deleteProfileField, 1, (walk) => {
    if (walk.profileFields.length < 4) return undefined;
    const { id } = pick(walk, walk.profileFields);
    const onSuccess = () =>
      void walk.profileFields.splice(
        walk.profileFields.findIndex((field) => field.id === id),
        1,
      );
    return { by: someoneInCharge(walk), path: { field_id: id }, onSuccess };
  }),
  step(reorderProfileFields, 1, (walk) => {
    const ids = walk.profileFields.map(({ id }) => id);
    const cut = walk.chance.below(ids.length + 1);
    return {
      by: someoneInCharge(walk),
      params: { order: [...ids.slice(cut), ...ids.slice(0, cut)] },
    };
  }),
  step(updateOwnProfile, 5, (walk) => {
    if (walk.profileFields.length === 0) return undefined;
    return {
      by: someone(walk),
      params: {
        data: maybe(walk) ? [profileEntry(walk)] : [profileEntry(walk), profileEntry(walk)],
      },
    };
  }),
  step(removeOwnProfile, 1, (walk) => {
    if (walk.profileFields.length === 0) return undefined;
    return { by: someone(walk), params: { data: [pick(walk, walk.profileFields).id] } };
  }),
];
