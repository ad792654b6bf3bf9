import { setImmediate as nextTurn } from "node:timers/promises";

import type { Database } from "@carillon/db";

import { effectOf, endBy, isForAllPublic } from "./effects.ts";
import { readHead, readLog } from "./log.ts";
import type { Presenter } from "./present.ts";
import type { EventQueue, LoggedEvent } from "./queue-options.ts";
import { inParts } from "./in-parts.ts";
import type { RecentEvents, EventMemory } from "./recent-events.ts";
import { Selection } from "./selection.ts";
import { Waiters, type PollResult, type Waiter } from "./waiting.ts";

/** Events that a tail begins with. */
const prefetched = 1_000;
/** Rows that are read in one go. */
const readBatch = 500;
/** Polls that are answered in one go, and bytes of their answers, roughly: others get their turn in between. */
const answerSlice = { polls: 100, weight: 250_000 };

/** What the tails of one gateway share. */
export interface TailParts<Context> {
  readonly db: Database;
  readonly memory: EventMemory;
  readonly presenter: Presenter<Context>;
}

/**
 * The end of one organization's log as a gateway follows it: reads what is new, keeps the newest of it, and answers
 * the polls that wait for it. One reads at a time.
 */
export class Tail<Context> {
  readonly realmId: number;
  readonly waiters = new Waiters();
  readonly #parts: TailParts<Context>;
  readonly recent: RecentEvents;
  context: Context;
  /** When a poll last came, in the process's milliseconds. */
  usedAt = performance.now();
  /** A round of reading, under way or over. */
  #reading: Promise<void> | undefined;
  /** The round after that one, while it has not begun. */
  #next: Promise<void> | undefined;
  #closed = false;

  private constructor(realmId: number, head: number, context: Context, parts: TailParts<Context>) {
    this.realmId = realmId;
    this.context = context;
    this.#parts = parts;
    this.recent = parts.memory.open(head);
  }

  static async open<Context>(realmId: number, parts: TailParts<Context>): Promise<Tail<Context>> {
    // The context is read after the head: a change of it in between is seen twice rather than not at all.
    const head = await readHead(parts.db, realmId);
    const context = await parts.presenter.context(realmId);
    // The newest events at once: after a restart thousands of polls come back that have missed no more.
    const tail = new Tail(realmId, Math.max(0, head - prefetched), context, parts);
    await tail.pull().catch((error: unknown) => {
      tail.close();
      throw error;
    });
    // In an organization that has been quiet the log may have been cleared up to the head.
    if (tail.head < head) parts.memory.reset(tail.recent, head);
    return tail;
  }

  /** The number of the newest event that this gateway knows. */
  get head(): number {
    return this.recent.head;
  }

  /** Nobody reads any more: a poll that still has it must open another one. */
  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.#parts.memory.close(this.recent);
  }

  /**
   * Reads what is new. Resolves when everything is read and told that was committed before the call, and not only when
   * nothing more comes: in a busy organization that would be never.
   */
  pull(): Promise<void> {
    return (this.#next ??= this.#after(this.#reading));
  }

  /** Resolves when nothing is being read or told. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#reading);
  }

  async #after(reading: Promise<void> | undefined): Promise<void> {
    // How the round before ended is the business of those who asked for it.
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
        // The log has been cleared beyond what was read here: the polls that wait have missed something.
        this.endAll({ kind: "gone" });
        memory.reset(this.recent, first.event.seq - 1);
      }
      if (rows.some(({ event }) => event.declared?.changesPresentation))
        this.context = await presenter.context(this.realmId);
      for (const [i, part] of inParts(rows, this.waiters.size).entries()) {
        if (i > 0) await nextTurn();
        if (this.#closed) return;
        memory.append(this.recent, part);
        await this.#tell(part.map(({ event }) => event));
      }
      if (rows.length < readBatch) return;
    }
  }

  /** Answers the polls that these events are for. Which ones wait is decided at once, answering takes turns. */
  async #tell(events: readonly LoggedEvent[]): Promise<void> {
    const concerned = new Map<Waiter, LoggedEvent[]>();
    for (const event of events) {
      this.#applyEffect(event);
      for (const waiter of this.#concernedBy(event)) {
        const list = concerned.get(waiter);
        if (!list) concerned.set(waiter, [event]);
        // Twice where a poll is concerned as a receiver and by the channel.
        else if (list.at(-1) !== event) list.push(event);
      }
    }
    for (const waiter of concerned.keys()) waiter.isBeingTold = true;
    let [polls, weight] = [0, 0];
    for (const [waiter, list] of concerned) {
      if (++polls > answerSlice.polls || weight > answerSlice.weight) {
        await nextTurn();
        [polls, weight] = [1, 0];
      }
      if (waiter.finished) continue;
      const selection = new Selection(waiter.queue, this.#parts.presenter, this.context);
      selection.addAll(list);
      weight += selection.weight;
      waiter.isBeingTold = false;
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

  /** Some events end polls, whatever they tell clients. */
  #applyEffect(event: LoggedEvent): void {
    const effect = effectOf(event);
    if (!effect) return;
    const { queueId, userId } = effect;
    const waiter = queueId === undefined ? undefined : this.waiters.ofQueue(queueId);
    const concerned = waiter ? [waiter] : userId === undefined ? [] : this.waiters.ofUser(userId);
    for (const open of concerned) {
      const result = endBy(effect, open.queue);
      if (result) this.end(open, result);
    }
  }

  /** How a poll of the queue has ended already by what came after number `seq`; undefined where it may wait. */
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
