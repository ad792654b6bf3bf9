import {
  addAlertWords,
  addNavigationView,
  createDrafts,
  createSavedSnippet,
  deleteDraft,
  deleteSavedSnippet,
  removeAlertWords,
  removeNavigationView,
  updateDraft,
  updateNavigationView,
  updateSavedSnippet,
} from "@carillon/contract";

import { maybe, pick, some, someone, step, type Walk, type WalkStep } from "./walk.ts";

const fragments = ["inbox", "narrow/is/starred", "narrow/is/alerted", "a%2Fb", "narrow/dm"];
const names = ["mine", "alerts", "talks"];

function aDraft(walk: Walk): object {
  const channels = walk.channels.map(({ id }) => id);
  const rest = { topic: "lunch", content: pick(walk, ["soup", "bread"]), timestamp: 1_700_000_000 };
  return pick(walk, [
    { type: "", to: [], ...rest },
    { type: "private", to: [someone(walk).id], ...rest },
    { type: "stream", to: some(walk, channels).slice(0, 1), ...rest },
  ]);
}

/** Steps of personal lists: alert words, navigation views, drafts, snippets. */
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
  step(createDrafts, 2, (walk) => {
    const by = someone(walk);
    const onSuccess = ({ ids }: Readonly<Record<string, unknown>>) =>
      void walk.drafts.push(...(ids as number[]).map((id) => ({ id, by })));
    return { by, params: { drafts: [aDraft(walk)] }, onSuccess };
  }),
  step(updateDraft, 1, (walk) => {
    if (walk.drafts.length === 0) return undefined;
    const { id, by } = pick(walk, walk.drafts);
    return { by, path: { draft_id: id }, params: { draft: aDraft(walk) } };
  }),
  step(deleteDraft, 1, (walk) => {
    if (walk.drafts.length === 0) return undefined;
    const { id, by } = pick(walk, walk.drafts);
    return { by, path: { draft_id: id } };
  }),
  step(createSavedSnippet, 2, (walk) => {
    const by = someone(walk);
    const onSuccess = ({ saved_snippet_id }: Readonly<Record<string, unknown>>) =>
      void walk.snippets.push({ id: saved_snippet_id as number, by });
    return { by, params: { title: pick(walk, names), content: "soup" }, onSuccess };
  }),
  step(updateSavedSnippet, 1, (walk) => {
    if (walk.snippets.length === 0) return undefined;
    const { id, by } = pick(walk, walk.snippets);
    return { by, path: { saved_snippet_id: id }, params: { title: pick(walk, names) } };
  }),
  step(deleteSavedSnippet, 1, (walk) => {
    if (walk.snippets.length === 0) return undefined;
    const { id, by } = pick(walk, walk.snippets);
    return { by, path: { saved_snippet_id: id } };
  }),
  step(removeNavigationView, 1, (walk) => ({
    by: someone(walk),
    path: { fragment: pick(walk, fragments) },
  })),
];
