import type { Alarm } from "@carillon/jobs";

import type { QueuedIntent } from "./intents/queued-intent.ts";

/** What transactions leave behind for others, by its kind. */
export interface LeftBehind {
  /** Intents that wait for their jobs. */
  intents: readonly QueuedIntent[];
  /** A scheduled message that is to be looked at in time. */
  alarm: Alarm;
  /** The organization whose log has grown. */
  events: number;
}

type Listener<Kind extends keyof LeftBehind> = (left: LeftBehind[Kind]) => void;

/**
 * Where listeners that work after commits hear of what the commits have left behind. It is a hint: the process may die
 * between the commit and here, so that somebody must also look at the rows (docs/decisions/001). A listener must neither
 * throw nor take time.
 */
export class Outbox {
  readonly #listeners: { [Kind in keyof LeftBehind]: Set<Listener<Kind>> } = {
    intents: new Set(),
    alarm: new Set(),
    events: new Set(),
  };

  /** Calls `listener` after every commit that has left such a thing behind, until the result is called. */
  on<Kind extends keyof LeftBehind>(kind: Kind, listener: Listener<Kind>): () => void {
    const listeners: Set<Listener<Kind>> = this.#listeners[kind];
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** @internal called by `Tx` once it has committed */
  tell<Kind extends keyof LeftBehind>(kind: Kind, left: LeftBehind[Kind]): void {
    for (const listener of this.#listeners[kind]) listener(left);
  }
}
