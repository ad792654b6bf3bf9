import type { MessageRecord } from "../records.ts";

type ReactionRecord = NonNullable<MessageRecord["reactions"]>[number];
type Emoji = Omit<ReactionRecord, "user_id">;

/** Reactions by message. Exports have them apart from messages, so all are in memory: 24 bytes each. */
export class ReactionTable {
  readonly #messages: number[] = [];
  readonly #users: number[] = [];
  readonly #emoji: number[] = [];
  readonly #known: Emoji[] = [];
  readonly #index = new Map<string, number>();
  #order: Uint32Array | undefined;
  #next = 0;

  add(messageId: number, userId: number, emoji: Emoji): void {
    const key = JSON.stringify(emoji);
    let index = this.#index.get(key);
    if (index === undefined) {
      index = this.#known.push(emoji) - 1;
      this.#index.set(key, index);
    }
    this.#messages.push(messageId);
    this.#users.push(userId);
    this.#emoji.push(index);
  }

  /** Returns the reactions to a message. Messages must be asked for by ascending id. */
  take(messageId: number): ReactionRecord[] {
    this.#order ??= Uint32Array.from(this.#messages.keys()).sort(
      (a, b) => (this.#messages[a] ?? 0) - (this.#messages[b] ?? 0) || a - b,
    );
    const found: ReactionRecord[] = [];
    for (; this.#next < this.#order.length; this.#next++) {
      const at = this.#order[this.#next] ?? 0;
      const message = this.#messages[at] ?? 0;
      if (message > messageId) break;
      const emoji = this.#known[this.#emoji[at] ?? 0];
      if (message === messageId && emoji) found.push({ user_id: this.#users[at] ?? 0, ...emoji });
    }
    return found;
  }
}
