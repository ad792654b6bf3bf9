import { ApiError, type Client } from "@carillon/client";
import { signal, type Signal } from "@preact/signals";
import { reasonOf } from "../reason.ts";
import { storage } from "../storage.ts";
import { texts } from "../texts.ts";
import type { Conversation } from "./conversation.ts";
import type { Item } from "./events.ts";
import { whenOnline } from "./online.ts";

/**
 * A message that is being sent. The browser stores it until the server has answered. Its idempotency key makes the server
 * send it once, however often it is repeated.
 *
 *     sending ──> sent ──> removed, once its event has arrived
 *        │  ^
 *        v  │ again
 *      failed
 */
export interface Unsent {
  readonly key: string;
  readonly conversation: Conversation;
  readonly content: string;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
  readonly state: "sending" | "sent" | "failed";
  /** Why the server refused it. */
  readonly reason?: string;
  /** The id of the message that it has become. */
  readonly id?: number;
}

interface Sender {
  readonly client: Client;
  readonly site: string;
  readonly me: number;
  readonly queueId: Signal<string | undefined>;
}

/** The server remembers idempotency keys for a day; older messages could be sent twice. */
const longestMs = 23 * 3_600_000;

/**
 * The messages that the account has written and the server has not answered yet. Each has an entry of its own in the
 * browser's storage, so that two tabs do not overwrite each other's.
 */
export class Outbox {
  readonly items = signal<readonly Unsent[]>([]);
  readonly #sender: Sender;
  readonly #prefix: string;
  /** The newest message that the snapshot or an event has told of. */
  #newest = -1;
  #signal: AbortSignal | undefined;

  constructor(sender: Sender) {
    this.#sender = sender;
    this.#prefix = `outbox:${sender.site}:${sender.me}:`;
  }

  /** Sends the messages that an earlier page has left unsent. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    this.items.value = storage
      .keys(this.#prefix)
      .flatMap((key) => storage.read<Unsent>(key) ?? [])
      .toSorted((a, b) => a.writtenAt - b.writtenAt);
    for (const item of this.items.value) if (item.state === "sending") void this.#send(item);
  }

  send(conversation: Conversation, content: string): void {
    const key = newKey();
    const item: Unsent = { key, conversation, content, writtenAt: Date.now(), state: "sending" };
    this.items.value = [...this.items.value, item];
    this.#store(item);
    void this.#send(item);
  }

  /** Sends a failed message again. */
  retry(key: string): void {
    const failed = this.items.value.find((item) => item.key === key && item.state === "failed");
    if (!failed) return;
    this.discard(key);
    this.send(failed.conversation, failed.content);
  }

  discard(key: string): void {
    storage.remove(this.#prefix + key);
    this.#drop((item) => item.key === key);
  }

  /** Drops messages whose events have arrived, because the list of messages has them then. */
  take(item: Item): void {
    if (item.type === "registered") {
      this.#newest = Math.max(this.#newest, item.snapshot.max_message_id ?? -1);
      this.#drop(({ state }) => state === "sent");
    } else if (item.type === "message") {
      const { id } = item.message;
      this.#newest = Math.max(this.#newest, id);
      this.#drop((unsent) => unsent.id === id || unsent.key === item.local_message_id);
    }
  }

  async #send(item: Unsent): Promise<void> {
    const { client } = this.#sender;
    const { value: queueId } = this.#sender.queueId;
    const signal = this.#signal;
    while (signal && !signal.aborted) {
      if (Date.now() - item.writtenAt > longestMs) {
        this.#change(item, { state: "failed", reason: texts.compose.tooLate });
        return;
      }
      try {
        const { id } = await client.sendMessage(
          {
            ...recipientsOf(item.conversation, this.#sender.me),
            content: item.content,
            read_by_sender: true,
            ...(queueId !== undefined && { queue_id: queueId, local_id: item.key }),
          },
          { idempotencyKey: item.key, signal },
        );
        storage.remove(this.#prefix + item.key);
        if (id <= this.#newest) this.#drop(({ key }) => key === item.key);
        else this.#change(item, { state: "sent", id });
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (isRefusal(error)) {
          this.#change(item, { state: "failed", reason: reasonOf(error) });
          return;
        }
        await whenOnline(signal);
      }
    }
  }

  #change(item: Unsent, changes: Partial<Unsent>): void {
    const changed = { ...item, ...changes };
    this.items.value = this.items.value.map((one) => (one.key === item.key ? changed : one));
    if (changed.state === "failed") this.#store(changed);
  }

  #store(item: Unsent): void {
    storage.write(this.#prefix + item.key, item);
  }

  #drop(isGone: (item: Unsent) => boolean): void {
    if (this.items.value.some(isGone))
      this.items.value = this.items.value.filter((item) => !isGone(item));
  }
}

/** The server may still be carrying out an earlier request with the key, or wants the message later. */
const undecided = [408, 409, 429];

/** Whether repeating the request is useless, and the message is certainly not sent. */
function isRefusal(error: unknown): error is ApiError {
  return (
    error instanceof ApiError &&
    error.status >= 400 &&
    error.status < 500 &&
    !undecided.includes(error.status)
  );
}

export function recipientsOf(conversation: Conversation, me: number) {
  if ("others" in conversation) {
    const { others } = conversation;
    return { type: "direct", to: others.length > 0 ? others : [me] } as const;
  }
  return { type: "channel", to: conversation.channelId, topic: conversation.topic } as const;
}

/** Makes a key without `randomUUID`, which browsers have on https only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
