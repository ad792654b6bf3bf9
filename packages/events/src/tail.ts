import { setImmediate as yieldToEventLoop } from "node:timers/promises";

import type { QueueEffect } from "@carillon/contract";
import type { Database } from "@carillon/db";

import { effectOf, endBy, isForAllPublic } from "./effects.ts";
import { readHead, readLog } from "./log.ts";
import type { Presenter } from "./present.ts";
import type { EventQueue, LoggedEvent } from "./queue-options.ts";
import { inParts } from "./in-parts.ts";
import type { RecentEvents, EventMemory } from "./recent-events.ts";
import { Selection } from "./selection.ts";
import { Waiters, type PollResult, type Waiter } from "./waiting.ts";

/** Events that a new tail reads from before the head. */
const prefetched = 1_000;
/** Rows per query. */
const readBatch = 500;
/** Polls, and approximate bytes of their answers, between two yields to the event loop. */
const answerSlice = { polls: 100, weight: 250_000 };

/** What the tails of one gateway share. */
export interface TailParts<Context> {
  readonly db: Database;
  readonly memory: EventMemory;
  readonly presenter: Presenter<Context>;
}

/**
 * Follows the end of one organization's log: reads new events, keeps the newest in memory, and answers the polls that
 * wait for them. One round of reading runs at a time.
 */
export class Tail<Context> {
  readonly realmId: number;
  readonly waiters = new Waiters();
  readonly #parts: TailParts<Context>;
  readonly recent: RecentEvents;
  context: Context;
  /** When a poll last used it, as `performance.now()`. */
  usedAt = performance.now();
  /** The latest round of reading that has begun. */
  #reading: Promise<void> | undefined;
  /** The round that will follow, until it begins. */
  #next: Promise<void> | undefined;
  #closed = false;

  private constructor(realmId: number, head: number, context: Context, parts: TailParts<Context>) {
    this.realmId = realmId;
    this.context = context;
    this.#parts = parts;
    this.recent = parts.memory.open(head);
  }

  /** Opens the tail of an organization's log, with its newest events in memory. */
  static async open<Context>(realmId: number, parts: TailParts<Context>): Promise<Tail<Context>> {
    // The context is read after the head: a change in between is then applied twice instead of never.
    const head = await readHead(parts.db, realmId);
    const context = await parts.presenter.context(realmId);
    // Reads the newest events at once: after a restart thousands of polls return that have missed only these.
    const tail = new Tail(realmId, Math.max(0, head - prefetched), context, parts);
    await tail.pull().catch((error: unknown) => {
      tail.close();
      throw error;
    });
    // In a quiet organization the log may have been cleared up to the head.
    if (tail.head < head) parts.memory.reset(tail.recent, head);
    return tail;
  }

  /** The number of the newest event that this gateway knows. */
  get head(): number {
    return this.recent.head;
  }

  /** Whether the tail has stopped reading events; a poll that still holds it must open another. */
  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.#parts.memory.close(this.recent);
  }

  /**
   * Reads new events. Resolves when everything committed before the call has been read and published, without waiting
   * for later events: in a busy organization they never stop.
   */
  pull(): Promise<void> {
    return (this.#next ??= this.#readAfter(this.#reading));
  }

  /** Resolves when no round is running or due. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#reading);
  }

  async #readAfter(reading: Promise<void> | undefined): Promise<void> {
    // The callers of the earlier round handle its error.
    await reading?.catch(() => {});
    this.#next = undefined;
    this.#reading = this.#read();
    await this.#reading;
  }

  async #read(): Promise<void> {
    const { db, memory, presenter } = this.#parts;
    for (;;) {
      const rows = await readLog(db, this.realmId, this.head, readBatch);
      const first = rows[0];
      if (!first || this.#closed) return;
      if (first.event.seq !== this.head + 1) {
        // The log has been cleared beyond the last event read here, so the waiting polls have missed events.
        this.endAll({ kind: "queueDeleted" });
        memory.reset(this.recent, first.event.seq - 1);
      }
      if (rows.some(({ event }) => event.declared?.changesPresentation))
        this.context = await presenter.context(this.realmId);
      for (const [i, part] of inParts(rows, this.waiters.size).entries()) {
        if (i > 0) await yieldToEventLoop();
        if (this.#closed) return;
        memory.append(this.recent, part);
        await this.#answerPolls(part.map(({ event }) => event));
      }
      if (rows.length < readBatch) return;
    }
  }

  /** Answers the polls that want these events. Matches polls without yielding, then presents in slices. */
  async #answerPolls(events: readonly LoggedEvent[]): Promise<void> {
    const concerned = new Map<Waiter, LoggedEvent[]>();
    for (const event of events) {
      this.#applyEffect(event);
      for (const waiter of this.#concernedBy(event)) {
        const list = concerned.get(waiter);
        if (!list) concerned.set(waiter, [event]);
        // A poll can match twice: as a receiver and by the channel.
        else if (list.at(-1) !== event) list.push(event);
      }
    }
    for (const waiter of concerned.keys()) waiter.isBeingAnswered = true;
    let [polls, weight] = [0, 0];
    for (const [waiter, list] of concerned) {
      if (++polls > answerSlice.polls || weight > answerSlice.weight) {
        await yieldToEventLoop();
        [polls, weight] = [1, 0];
      }
      if (waiter.finished) continue;
      const selection = new Selection(waiter.queue, this.#parts.presenter, this.context);
      selection.addAll(list);
      weight += selection.weight;
      waiter.isBeingAnswered = false;
      if (selection.events.length === 0) continue;
      this.waiters.remove(waiter);
      waiter.finish({ kind: "events", events: selection.events });
    }
  }

  *#concernedBy(event: LoggedEvent): Generator<Waiter> {
    if (event.audience === null) yield* this.waiters.all();
    else yield* this.waiters.ofAudience(event.audience);
    if (isForAllPublic(event)) yield* this.waiters.ofPublicChannels();
  }

  /** Ends the polls that the event's effect concerns. */
  #applyEffect(event: LoggedEvent): void {
    const effect = effectOf(event);
    if (!effect) return;
    for (const open of this.#affectedBy(effect)) {
      const result = endBy(effect, open.queue);
      if (result) this.end(open, result);
    }
  }

  #affectedBy({ everybody, queueId, userId }: QueueEffect): Iterable<Waiter> {
    if (everybody) return [...this.waiters.all()];
    const waiter = queueId === undefined ? undefined : this.waiters.ofQueue(queueId);
    if (waiter) return [waiter];
    return userId === undefined ? [] : this.waiters.ofUser(userId);
  }

  /** Returns how an event after number `seq` would end a poll of the queue; undefined if none does. */
  endedSince(seq: number, queue: EventQueue): PollResult | undefined {
    for (const event of this.recent.after(Math.max(seq, this.recent.floor))) {
      const result = endBy(effectOf(event), queue);
      if (result) return result;
    }
    return undefined;
  }

  end(waiter: Waiter, result: Parameters<Waiter["finish"]>[0]): void {
    this.waiters.remove(waiter);
    waiter.finish(result);
  }

  endAll(result: Parameters<Waiter["finish"]>[0]): void {
    for (const waiter of this.waiters.all()) this.end(waiter, result);
  }
}
