import type { Presenter } from "./present.ts";
import { effectOf, isForAllPublic } from "./effects.ts";
import { eventId } from "./event-ids.ts";
import type { EventQueue, LoggedEvent, NumberedEvent } from "./queue-options.ts";

/** Maximum number of events in one answer; the rest comes with the next poll. */
const maxEvents = 1_000;
/** Approximate bytes. */
const maxWeight = 1_000_000;

/** Approximate bytes of an event without its variable part. */
const usualWeight = 500;

/** Longest time of {@link Selection.addSome} without yielding, in milliseconds. */
const sliceMs = 5;

/** Selects and presents events for one queue, until there are enough for one answer. */
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

  /** Approximate bytes of the selected events. */
  get weight(): number {
    return this.#weight;
  }

  get isFull(): boolean {
    return this.events.length >= maxEvents || this.#weight >= maxWeight;
  }

  add(event: LoggedEvent): void {
    const effect = effectOf(event);
    // The poll may have begun before this event; later events follow the new visibility of the account.
    if (effect?.viewerRole !== undefined && effect.userId === this.#queue.userId)
      this.#queue = { ...this.#queue, viewerRole: effect.viewerRole };
    const via = this.#receivedVia(event);
    if (!via) return;
    const presented = this.#presenter.present(event, this.#queue, this.#context, via);
    for (const [i, { type, ...fields }] of presented.entries()) {
      this.events.push({ type, ...fields, id: eventId(event.seq, i) });
      this.#weight += usualWeight + (event.declared?.weight?.(fields) ?? 0);
    }
  }

  /** Adds events, oldest first, until the selection is full. */
  addAll(events: Iterable<LoggedEvent>): void {
    for (const event of events) {
      this.add(event);
      if (this.isFull) return;
    }
  }

  /**
   * Adds events, oldest first, until the selection is full or some milliseconds have passed.
   * @returns the number of the last event processed; undefined if there was none
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

  /** Returns why the queue receives the event; undefined if it does not. */
  #receivedVia(event: LoggedEvent): "audience" | "public" | undefined {
    if (event.declared?.internal) return undefined;
    const { userId, options } = this.#queue;
    if (event.audience === null || event.audience.includes(userId)) return "audience";
    return options.allPublicChannels && isForAllPublic(event) ? "public" : undefined;
  }
}
