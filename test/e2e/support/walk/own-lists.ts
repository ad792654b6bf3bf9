import {
  addAlertWords,
  addNavigationView,
  removeAlertWords,
  removeNavigationView,
  updateNavigationView,
} from "@carillon/contract";

import { maybe, pick, some, someone, step, type WalkStep } from "./walk.ts";

const fragments = ["inbox", "narrow/is/starred", "narrow/is/alerted", "a%2Fb", "narrow/dm"];
const names = ["mine", "alerts", "talks"];

/** What everybody keeps for themselves: words, views. */
export const ownListSteps: readonly WalkStep[] = [
  step(addAlertWords, 1, (walk) => ({
    by: someone(walk),
    params: { alert_words: some(walk, ["soup", "Soup", "on call", "word"]) },
  })),
  step(removeAlertWords, 1, (walk) => ({
    by: someone(walk),
    params: { alert_words: some(walk, ["SOUP", "on call", "word"]) },
  })),
  step(addNavigationView, 2, (walk) => ({
    by: someone(walk),
    params: {
      fragment: pick(walk, fragments),
      is_pinned: maybe(walk),
      ...(maybe(walk) ? { name: pick(walk, names) } : {}),
    },
  })),
  step(updateNavigationView, 1, (walk) => ({
    by: someone(walk),
    path: { fragment: pick(walk, fragments) },
    params: { is_pinned: maybe(walk), ...(maybe(walk) ? { name: pick(walk, names) } : {}) },
  })),
  step(removeNavigationView, 1, (walk) => ({
    by: someone(walk),
    path: { fragment: pick(walk, fragments) },
  })),
];
