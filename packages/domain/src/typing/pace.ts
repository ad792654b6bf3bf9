import type { Database } from "@carillon/db";

export type TypingOp = "start" | "stop";

/** Milliseconds for which the same need not be told again. */
const pause = 1_000;

/**
 * Keeps a client that says with every key that it is typing from filling the log: what has just been told is told
 * again a second later at the earliest. A change always passes: without its `stop`, others would look at somebody
 * typing for fifteen seconds. Each process has a memory of its own, of a second's length.
 */
export class TypingPace {
  readonly #now: () => number;
  /** The oldest first. */
  readonly #told = new Map<string, { readonly op: TypingOp; readonly at: number }>();

  /** @param now milliseconds since whenever */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the same has been told within the last second. */
  isRepetition(conversation: string, op: TypingOp): boolean {
    this.#forget();
    return this.#told.get(conversation)?.op === op;
  }

  /** Notes what has been told. */
  told(conversation: string, op: TypingOp): void {
    this.#forget();
    this.#told.delete(conversation);
    this.#told.set(conversation, { op, at: this.#now() });
  }

  #forget(): void {
    const until = this.#now() - pause;
    for (const [conversation, { at }] of this.#told) {
      if (at > until) return;
      this.#told.delete(conversation);
    }
  }
}

/** A process has one database, and so one pace. */
const paces = new WeakMap<Database, TypingPace>();

/** The pace of the process. */
export function typingPaceOf(db: Database): TypingPace {
  let pace = paces.get(db);
  if (!pace) paces.set(db, (pace = new TypingPace()));
  return pace;
}
