import { signal } from "@preact/signals";
import { type Conversation, keyOf, othersOf } from "./conversation.ts";
import type { OrganizationEvent } from "./events.ts";

/** Milliseconds without a repeated notification after which typing counts as stopped. */
const expiryMs = 15_000;

/** Who is writing in which conversation. */
export class Typing {
  readonly #me: number;
  readonly #typists = signal<ReadonlyMap<string, readonly number[]>>(new Map());
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(me: number) {
    this.#me = me;
  }

  in(conversation: Conversation): readonly number[] {
    return this.#typists.value.get(keyOf(conversation)) ?? [];
  }

  apply(event: OrganizationEvent): void {
    if (event.type === "message") {
      const { message } = event;
      for (const key of this.#typists.value.keys()) this.#stop(key, message.sender_id);
    }
    if (event.type !== "typing" || event.sender.user_id === this.#me) return;
    const key = keyOf(
      event.message_type === "stream"
        ? { channelId: event.stream_id, topic: event.topic }
        : {
            others: othersOf(
              event.recipients.map(({ user_id }) => user_id),
              this.#me,
            ),
          },
    );
    this.#stop(key, event.sender.user_id);
    if (event.op === "start") this.#start(key, event.sender.user_id);
  }

  #start(key: string, id: number): void {
    this.#change(key, (ids) => [...ids, id]);
    this.#timers.set(
      `${key} ${id}`,
      setTimeout(() => this.#stop(key, id), expiryMs),
    );
  }

  #stop(key: string, id: number): void {
    clearTimeout(this.#timers.get(`${key} ${id}`));
    this.#timers.delete(`${key} ${id}`);
    if (this.#typists.value.get(key)?.includes(id))
      this.#change(key, (ids) => ids.filter((other) => other !== id));
  }

  #change(key: string, next: (ids: readonly number[]) => readonly number[]): void {
    const typists = new Map(this.#typists.value);
    const ids = next(typists.get(key) ?? []);
    if (ids.length > 0) typists.set(key, ids);
    else typists.delete(key);
    this.#typists.value = typists;
  }
}
