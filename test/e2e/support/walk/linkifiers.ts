import {
  createLinkifier,
  removeLinkifier,
  reorderLinkifiers,
  updateLinkifier,
} from "@carillon/contract";
import { unique } from "@carillon/testkit";

import { pick, someoneInCharge, step, type Walk, type WalkStep } from "./walk.ts";

const some = (walk: Walk) => ({
  pattern: pick(walk, ["#(?P<id>[0-9]+)", `${unique("T")}-(?P<id>[0-9]+)`, "(?i)ticket (?P<id>.)"]),
  url_template: pick(walk, ["https://t.example/{id}", "https://t.example/?id={id}"]),
});

/** Steps of linkifiers. */
export const linkifierSteps: readonly WalkStep[] = [
  step(createLinkifier, 3, (walk) => ({
    by: someoneInCharge(walk),
    params: some(walk),
    onSuccess: (made) => void walk.linkifiers.push(made["id"] as number),
  })),
  step(updateLinkifier, 2, (walk) => {
    if (walk.linkifiers.length === 0) return undefined;
    const path = { filter_id: pick(walk, walk.linkifiers) };
    return { by: someoneInCharge(walk), path, params: some(walk) };
  }),
  step(removeLinkifier, 1, (walk) => {
    const id = walk.linkifiers.shift();
    return id === undefined ? undefined : { by: someoneInCharge(walk), path: { filter_id: id } };
  }),
  step(reorderLinkifiers, 2, (walk) => {
    const cut = walk.chance.below(walk.linkifiers.length + 1);
    const ordered_linkifier_ids = [...walk.linkifiers.slice(cut), ...walk.linkifiers.slice(0, cut)];
    return { by: someoneInCharge(walk), params: { ordered_linkifier_ids } };
  }),
];
