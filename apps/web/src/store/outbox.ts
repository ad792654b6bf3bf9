import { ApiError, type Client } from "@carillon/client";
import { signal, type Signal } from "@preact/signals";
import { reasonOf } from "../reason.ts";
import { storage } from "../storage.ts";
import { texts } from "../texts.ts";
import type { Connection } from "./connection.ts";
import { type Conversation, keyOf } from "./conversation.ts";
import { type ConversationNames, type Named, namesOf } from "./conversation-names.ts";
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
  /** The names of the conversation; undefined if they were unknown. */
  readonly names?: ConversationNames | undefined;
  readonly content: string;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
  readonly state: "sending" | "sent" | "failed";
  /** Why the server refused it. */
  readonly reason?: string;
  /** The id of the message that it has become. */
  readonly id?: number;
}

interface Sender extends Named {
  readonly client: Client;
  readonly site: string;
  readonly me: number;
  readonly queueId: Signal<string | undefined>;
  readonly connection: Signal<Connection>;
}

/** The server remembers idempotency keys for a day; older messages could be sent twice. */
const longestMs = 23 * 3_600_000;

/** Milliseconds after which this tab also sends a message of another tab, because that tab may have been closed. */
const adoptAfterMs = 15_000;

/**
 * The messages that the account has written and the server has not answered yet. Each has an entry of its own in the
 * browser's storage, so that two tabs do not overwrite each other's entries. A tab sends the messages of a conversation one
 * after the other, because the server orders them by arrival.
 */
export class Outbox {
  readonly items = signal<readonly Unsent[]>([]);
  readonly #sender: Sender;
  readonly #prefix: string;
  /** By conversation key: the promise that resolves when this tab has finished sending the latest message there. */
  readonly #latest = new Map<string, Promise<void>>();
  /** The newest message that the snapshot or an event has told of. */
  #newest = -1;
  #signal: AbortSignal | undefined;
  /**
   * Whether the first snapshot has arrived. Nothing is sent before: if the organization has moved to another installation
   * (docs/moving.md), the stored ids are old, and the page learns this from the snapshot.
   */
  #isRegistered = false;

  constructor(sender: Sender) {
    this.#sender = sender;
    this.#prefix = `outbox:${sender.site}:${sender.me}:`;
  }

  /**
   * Shows the messages that an earlier page has left unsent, which are sent after the first snapshot, and listens to changes
   * by other tabs.
   */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    this.#adopt(storage.keys(this.#prefix));
    storage.listen(this.#prefix, (key) => this.#takeFromOtherTab(key), signal);
  }

  send(conversation: Conversation, content: string): void {
    const key = newKey();
    const names = namesOf(conversation, this.#sender);
    const writtenAt = Date.now();
    const item: Unsent = { key, conversation, names, content, writtenAt, state: "sending" };
    this.items.value = [...this.items.value, item];
    this.#store(item);
    this.#enqueue(item);
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
      if (!this.#isRegistered) this.#begin();
    } else if (item.type === "message") {
      const { id } = item.message;
      this.#newest = Math.max(this.#newest, id);
      this.#drop((unsent) => unsent.id === id || unsent.key === item.local_message_id);
    }
  }

  #begin(): void {
    this.#isRegistered = true;
    for (const item of this.items.value) if (item.state === "sending") this.#enqueue(item);
  }

  /** Handles a change by another tab, which has stored, sent or discarded a message, or marked it as failed. */
  #takeFromOtherTab(key: string): void {
    const item = storage.read<Unsent>(key);
    const isKnown = (one: Unsent) => this.#prefix + one.key === key;
    if (!item) this.#drop((one) => isKnown(one) && one.state !== "sent");
    else if (!this.items.value.some(isKnown)) setTimeout(() => this.#adopt([key]), adoptAfterMs);
    else if (item.state === "failed") this.#replace(item);
  }

  /** Shows the stored messages and sends them, except failed ones. */
  #adopt(keys: readonly string[]): void {
    if (this.#signal?.aborted) return;
    const known = new Set(this.items.value.map(({ key }) => key));
    const added = keys
      .flatMap((key) => storage.read<Unsent>(key) ?? [])
      .filter(({ key }) => !known.has(key))
      .toSorted((a, b) => a.writtenAt - b.writtenAt);
    this.items.value = [...this.items.value, ...added];
    for (const item of added) if (item.state === "sending") this.#enqueue(item);
  }

  /** Sends a message after the earlier ones of its conversation. */
  #enqueue(item: Unsent): void {
    if (!this.#isRegistered) return;
    const conversation = keyOf(item.conversation);
    const earlier = this.#latest.get(conversation) ?? Promise.resolve();
    this.#latest.set(conversation, earlier.then(() => this.#send(item)).catch(reportError));
  }

  async #send(item: Unsent): Promise<void> {
    const { client } = this.#sender;
    const { value: queueId } = this.#sender.queueId;
    const signal = this.#signal;
    while (signal && !signal.aborted && this.#isSending(item)) {
      if (Date.now() - item.writtenAt > longestMs) {
        this.#fail(item, texts.compose.tooLate);
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
        else this.#replace({ ...item, state: "sent", id });
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (isRefusal(error)) {
          this.#fail(item, reasonOf(error));
          return;
        }
        await whenOnline(this.#sender.connection, signal);
      }
    }
  }

  /** Returns whether the message still has to be sent; another tab may have sent or discarded it. */
  #isSending({ key }: Unsent): boolean {
    return this.items.value.some((one) => one.key === key && one.state === "sending");
  }

  #fail(item: Unsent, reason: string): void {
    const failed: Unsent = { ...item, state: "failed", reason };
    this.#replace(failed);
    this.#store(failed);
  }

  #replace(changed: Unsent): void {
    this.items.value = this.items.value.map((one) => (one.key === changed.key ? changed : one));
  }

  #store(item: Unsent): void {
    storage.write(this.#prefix + item.key, item);
  }

  #drop(isGone: (item: Unsent) => boolean): void {
    if (this.items.value.some(isGone))
      this.items.value = this.items.value.filter((item) => !isGone(item));
  }
}

/**
 * Statuses after which the message may still be sent. The server may be processing an earlier request with the key, or
 * may accept the message later. After a 401, the organization checks the API key. If the key is revoked, sending stops
 * until the next sign-in.
 */
const undecided = [401, 408, 409, 429];

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
