import { allEvents, type SnapshotChange } from "@carillon/contract";

import { addOnce, take, type Item } from "./client-model-lists.ts";

/**
 * Applies an event to a snapshot by the event's declaration.
 * @throws Error for an event that adds known data or changes unknown data
 */
export function applyDeclared(state: Item, change: SnapshotChange, event: Item): void {
  if ("field" in change) {
    state[change.field] = event[change.becomes];
    return;
  }
  const { by } = change;
  const list = state[change.list] as Item[];
  if ("adds" in change) {
    for (const item of [event[change.adds]].flat() as Item[]) addOnce(list, item, by);
  } else if ("replaces" in change) {
    const item = event[change.replaces] as Item;
    take(list, by, item[by]);
    list.push(item);
  } else if ("merges" in change) {
    list.push({ ...take(list, by, event[change.into]), ...(event[change.merges] as Item) });
  } else {
    take(list, by, event[change.removes]);
  }
}

/** The key field of the items of each declared list, by the list's name. */
export const declaredKeys: Readonly<Record<string, string>> = Object.fromEntries(
  allEvents.flatMap(({ snapshot }) =>
    snapshot && "list" in snapshot ? [[snapshot.list, snapshot.by]] : [],
  ),
);
