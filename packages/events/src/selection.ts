import { filler, keyChanged, queueDeleted } from "@carillon/contract";

import type { Presenter } from "./present.ts";
import { eventId } from "./event-ids.ts";
import type { EventQueue, LoggedEvent, QueueEvent } from "./queue-options.ts";

/** An event as it goes out. */
export type NumberedEvent = QueueEvent & { readonly id: number };

/** The most that one answer holds; the rest comes with the next poll. */
const maxEvents = 1_000;
/** Bytes, roughly. */
const maxWeight = 1_000_000;

/** For how long it may go on in one go, in milliseconds. */
const sliceMs = 5;

/** Of a type that is for gateways only. */
function isInternal({ type }: LoggedEvent): boolean {
  return type === queueDeleted.type || type === keyChanged.type || type === filler.type;
}

/** Picks and presents events for one queue, until they are enough for one answer. */
export class Selection<Context> {
  readonly events: NumberedEvent[] = [];
  #queue: EventQueue;
  readonly #presenter: Presenter<Context>;
  readonly #context: Context;
  #weight = 0;

  constructor(queue: EventQueue, presenter: Presenter<Context>, context: Context) {
    this.#queue = queue;
    this.#presenter = presenter;
    this.#context = context;
  }

  get isFull(): boolean {
    return this.events.length >= maxEvents || this.#weight >= maxWeight;
  }

  add(event: LoggedEvent): void {
    const role = newRole(event, this.#queue.userId);
    if (role !== undefined) this.#queue = { ...this.#queue, role };
    const via = this.#way(event);
    if (!via) return;
    const presented = this.#presenter.present(event, this.#queue, this.#context, via);
    for (const [i, { type, ...fields }] of presented.entries()) {
      this.events.push({ type, ...fields, id: eventId(event.seq, i) });
      this.#weight += weightOf(fields);
    }
  }

  /** Adds events, oldest first, while there is room. */
  addAll(events: Iterable<LoggedEvent>): void {
    for (const event of events) {
      this.add(event);
      if (this.isFull) return;
    }
  }

  /**
   * Adds events, oldest first, while there is room and for some milliseconds at most: others want their turn.
   * @returns the number of the last one that it looked at, undefined if there was none
   */
  addSome(events: Iterable<LoggedEvent>): number | undefined {
    const began = performance.now();
    let last: number | undefined;
    for (const event of events) {
      this.add(event);
      last = event.seq;
      if (this.isFull || performance.now() - began > sliceMs) break;
    }
    return last;
  }

  #way(event: LoggedEvent): "audience" | "public" | undefined {
    if (isInternal(event)) return undefined;
    const { userId, options } = this.#queue;
    if (event.audience === null || event.audience.includes(userId)) return "audience";
    return options.allPublicChannels && this.#presenter.isPublic(event) ? "public" : undefined;
  }
}

/**
 * The role that the event gives the account. A poll may have begun before it, and what follows is for the new one: all
 * of it may lie in one answer.
 */
function newRole({ type, op, payload }: LoggedEvent, userId: number): number | undefined {
  if (type !== "realm_user" || op !== "update") return undefined;
  const { user_id, role } = payload["person"] as { user_id: number; role?: number };
  return user_id === userId ? role : undefined;
}

/** What an event weighs in an answer: contents are what is large, everything else counts as little. */
function weightOf(fields: Readonly<Record<string, unknown>>): number {
  const message = fields["message"] as { content?: string } | undefined;
  return 500 + (message?.content?.length ?? 0);
}
