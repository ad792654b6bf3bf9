import { setImmediate as nextTurn } from "node:timers/promises";

import { filler } from "@carillon/contract";
import type { Database } from "@carillon/db";
import type { Logger } from "@carillon/kit";

import { catchUp } from "./catch-up.ts";
import { emit } from "./emit.ts";
import { heartbeatId, isFromTheFuture, seqOf } from "./event-ids.ts";
import { longLived, stalePlace } from "./lifetimes.ts";
import { ageInLog, readHeads } from "./log.ts";
import { forgiving, type Presenter } from "./present.ts";
import type { EventQueue, QueueEvent } from "./queue-options.ts";
import { dropQueue, findQueue, touchQueues } from "./queues.ts";
import { EventMemory, type MemoryLimits } from "./recent-events.ts";
import { Selection, type NumberedEvent } from "./selection.ts";
import { Tail } from "./tail.ts";
import { Turnstile } from "./turnstile.ts";
import { Waiter, type PollResult } from "./waiting.ts";

export interface HubOptions<Context> {
  readonly db: Database;
  readonly presenter: Presenter<Context>;
  readonly log: Logger;
  readonly limits?: MemoryLimits;
  /** Between two looks at the log without a wake-up, in milliseconds. */
  readonly lookMs?: number;
  /** How long a poll waits before it gets a heartbeat, in milliseconds: between the two. */
  readonly heartbeatMs?: readonly [number, number];
}

export interface Poll {
  readonly userId: number;
  /** Of the API key that it came with. */
  readonly keyDigest: Uint8Array;
  readonly queueId: string;
  /** The newest id that the client has got: everything up to it is acknowledged. */
  readonly lastEventId: number;
  readonly block: boolean;
  /** Fires when the client hangs up. */
  readonly signal: AbortSignal;
}

/** Of the connections of a gateway (10), those that polls may use at a time. */
const connectionsForPolls = 4;
/** Queues further behind than this many events are given up. */
const furthestBehind = 100_000;
/** Between two notes of which queues are in use, in milliseconds. */
const touchMs = 15_000;
/** An organization that nobody has polled for this long is forgotten, in milliseconds. */
const forgetMs = 600_000;
/** After how many milliseconds a heartbeat that had to stand back is tried again. */
const beatAgainMs = 100;

/**
 * Answers the polls of one gateway (events.md §2, §6). Queues and events lie in the database, so that any gateway
 * serves any queue; here is only what is new, and who waits for it.
 */
export class EventHub<Context> {
  readonly #options: HubOptions<Context>;
  readonly #presenter: Presenter<Context>;
  readonly #memory: EventMemory;
  readonly #turnstile = new Turnstile(connectionsForPolls);
  readonly #tails = new Map<number, Promise<Tail<Context>>>();
  /** Queues polled since the last note. */
  readonly #used = new Set<string>();
  readonly #timers: NodeJS.Timeout[];
  #open = 0;
  #waiting = 0;
  #closing = false;
  #looking: Promise<void> | undefined;

  constructor(options: HubOptions<Context>) {
    this.#options = options;
    this.#presenter = forgiving(options.presenter, options.log);
    this.#memory = new EventMemory(options.limits ?? { events: 20_000, weight: 64_000_000 });
    this.#timers = [
      setInterval(() => void this.#quietly(this.look()), options.lookMs ?? 1_000),
      setInterval(() => void this.#quietly(this.touch()), touchMs),
    ];
  }

  /** Open polls, those of them that wait for an event, and what is kept in memory. */
  get counters(): { polls: number; waiting: number; events: number; bytes: number } {
    const { events, weight } = this.#memory;
    return { polls: this.#open, waiting: this.#waiting, events, bytes: weight };
  }

  /** An organization's log has grown. */
  wake(realmId: number): void {
    const tail = this.#tails.get(realmId);
    if (tail) void this.#quietly(tail.then((opened) => opened.pull()));
  }

  /** Looks at every log that somebody waits for, as after wake-ups that were lost; one look at a time. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look().finally(() => (this.#looking = undefined)));
  }

  async #look(): Promise<void> {
    const { db } = this.#options;
    const waiting = (await this.#opened()).filter(({ waiters }) => waiters.size > 0);
    if (waiting.length === 0) return;
    const heads = await readHeads(
      db,
      waiting.map(({ realmId }) => realmId),
    );
    const head = new Map(heads.map(({ realmId, seq }) => [realmId, seq]));
    const grown = waiting.filter((tail) => (head.get(tail.realmId) ?? 0) > tail.head);
    await Promise.all(grown.map((tail) => this.#quietly(tail.pull())));
    const brief = waiting.flatMap(({ waiters }) =>
      [...waiters.all()].filter(({ queue }) => queue.idleTimeout < longLived),
    );
    if (brief.length > 0)
      await touchQueues(
        db,
        brief.map(({ queue }) => queue.id),
      );
  }

  /** Notes which queues are in use, and ends the polls of those that are gone. */
  async touch(): Promise<void> {
    const tails = await this.#opened();
    const open = tails.flatMap((tail) =>
      [...tail.waiters.all()].map((waiter) => ({ tail, waiter })),
    );
    const used = [...this.#used];
    this.#used.clear();
    const ids = [...used, ...open.map(({ waiter }) => waiter.queue.id)];
    if (ids.length > 0) {
      const alive = await touchQueues(this.#options.db, ids).catch((error: unknown) => {
        for (const id of used) this.#used.add(id);
        throw error;
      });
      for (const { tail, waiter } of open)
        if (!alive.has(waiter.queue.id)) tail.end(waiter, { kind: "gone" });
    }
    for (const tail of tails)
      if (tail.waiters.size === 0 && performance.now() - tail.usedAt > forgetMs) {
        this.#tails.delete(tail.realmId);
        tail.close();
      }
  }

  async poll(poll: Poll): Promise<PollResult> {
    this.#open++;
    try {
      // Who has hung up while waiting in line is not looked up any more.
      const found = await this.#turnstile.pass(async () =>
        poll.signal.aborted
          ? undefined
          : findQueue(this.#options.db, poll.userId, poll.keyDigest, poll.queueId),
      );
      if (!found) return { kind: "gone" };
      if (!found.keyIsCurrent) return { kind: "refused" };
      const { queue, head } = found;
      if (isFromTheFuture(poll.lastEventId, head)) return { kind: "future" };
      await this.#noteUse(queue);
      const result = await this.#answer(queue, head, poll);
      await this.#quietly(this.#noteUse(queue));
      return result;
    } finally {
      this.#open--;
    }
  }

  /** Answers every open poll with a heartbeat; later ones are not kept waiting. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const timer of this.#timers) clearInterval(timer);
    const tails = await this.#opened();
    await Promise.all(tails.map((tail) => this.#end(tail)));
    await this.#quietly(this.touch());
  }

  async #end(tail: Tail<Context>): Promise<void> {
    const open = [...tail.waiters.all()];
    const beat = (waiter: Waiter) => this.#quietly(this.#beat(tail, waiter));
    // At once, also while the database does not answer; but those to which an event is on its way get that.
    await Promise.all(open.filter(({ isBeingTold }) => !isBeingTold).map(beat));
    await this.#quietly(tail.settled());
    await Promise.all(open.map(beat));
  }

  async #answer(queue: EventQueue, head: number, poll: Poll): Promise<PollResult> {
    const tail = await this.#tail(queue.realmId);
    // What was committed before the poll must be in its answer, also when the wake-up is still under way.
    if (tail.head < head) await tail.pull();
    let cursor = Math.max(queue.baseSeq, seqOf(poll.lastEventId));
    if (tail.head - cursor > furthestBehind) return this.#giveUp(queue);
    // Before the loop, since nothing may be awaited after it.
    const isStale = await this.#isStale(tail, cursor);
    const selection = new Selection(queue, this.#presenter, tail.context);
    for (;;) {
      if (cursor < tail.recent.floor) {
        const range = { after: cursor, until: tail.recent.floor };
        const reached = await this.#turnstile.pass(() =>
          catchUp(this.#options.db, queue, selection, range),
        );
        if (reached === undefined) return this.#giveUp(queue);
        cursor = reached;
      } else {
        cursor = selection.addSome(tail.recent.after(cursor)) ?? tail.head;
        // From here to the waiter's being known nothing may be awaited, or an event in between would be missed.
        if (selection.isFull || cursor >= tail.head) break;
        await nextTurn();
      }
      if (selection.isFull) break;
    }
    const ended = tail.endedSince(head, queue);
    // Whoever is deactivated meanwhile is told nothing more, not even that.
    if (ended?.kind === "refused") return ended;
    if (selection.events.length > 0 || poll.signal.aborted)
      return { kind: "events", events: selection.events };
    if (ended) return ended;
    if (isStale) return this.#heartbeat(tail, queue, poll.lastEventId);
    if (!poll.block) return { kind: "events", events: [] };
    if (this.#closing) return this.#heartbeat(tail, queue, poll.lastEventId);
    this.#waiting++;
    const event = new Promise<PollResult>((resolve) => this.#wait(tail, queue, poll, resolve));
    return event.finally(() => this.#waiting--);
  }

  /**
   * Whether the place in the log is so old that a poll from there gets a heartbeat if there is nothing else. Who asks
   * without waiting, or hangs up before the heartbeat, would keep it for ever, and the log is cleared at some time.
   */
  async #isStale(tail: Tail<Context>, cursor: number): Promise<boolean> {
    if (cursor >= tail.head) return false;
    const writtenAt = tail.recent.writtenAt(cursor + 1);
    if (writtenAt !== undefined) return performance.now() - writtenAt > stalePlace * 1_000;
    const age = await this.#turnstile.pass(() =>
      ageInLog(this.#options.db, tail.realmId, cursor + 1),
    );
    return age === undefined || age > stalePlace;
  }

  #wait(
    tail: Tail<Context>,
    queue: EventQueue,
    poll: Poll,
    resolve: (result: PollResult) => void,
  ): void {
    const waiter = new Waiter(queue, poll.lastEventId, resolve);
    tail.waiters.add(waiter);
    const [from, to] = this.#options.heartbeatMs ?? [45_000, 55_000];
    waiter.expireAfter(
      from + Math.random() * (to - from),
      () => void this.#quietly(this.#beat(tail, waiter)),
    );
    poll.signal.addEventListener("abort", () => tail.end(waiter, { kind: "events", events: [] }), {
      once: true,
    });
  }

  async #beat(tail: Tail<Context>, waiter: Waiter): Promise<void> {
    if (waiter.finished) return;
    if (waiter.isBeingTold) {
      // An event is on its way to it. Should it turn out not to want that one, its heartbeat is due all the same.
      waiter.expireAfter(beatAgainMs, () => void this.#quietly(this.#beat(tail, waiter)));
      return;
    }
    tail.waiters.remove(waiter);
    try {
      waiter.finish(await this.#heartbeat(tail, waiter.queue, waiter.lastId));
    } catch (error) {
      waiter.finish({ kind: "events", events: [] });
      throw error;
    }
  }

  /** A heartbeat for a queue that has got everything up to the tail's head. */
  async #heartbeat(tail: Tail<Context>, queue: EventQueue, lastId: number): Promise<PollResult> {
    const { head, realmId } = tail;
    const id = heartbeatId(lastId, head);
    if (id !== undefined) return beat(id);
    // After 1,023 heartbeats in a row the numbers before the next event are used up: there must be one.
    const { db } = this.#options;
    await db.transaction(async (tx) => emit(tx, realmId, [filler({}, { audience: [] })]));
    await tail.pull();
    const selection = new Selection(queue, this.#presenter, tail.context);
    if (head >= tail.recent.floor) selection.addAll(tail.recent.after(head));
    const next = heartbeatId(lastId, tail.head);
    return selection.events.length > 0 || next === undefined || head < tail.recent.floor
      ? { kind: "events", events: selection.events }
      : beat(next);
  }

  async #giveUp(queue: EventQueue): Promise<PollResult> {
    await dropQueue(this.#options.db, queue.id);
    return { kind: "gone" };
  }

  async #noteUse({ id, idleTimeout }: EventQueue): Promise<void> {
    if (idleTimeout < longLived) await touchQueues(this.#options.db, [id]);
    else this.#used.add(id);
  }

  /** The organization's tail, which is not forgotten while it is used. */
  async #tail(realmId: number): Promise<Tail<Context>> {
    for (;;) {
      const tail = await (this.#tails.get(realmId) ?? this.#openTail(realmId));
      tail.usedAt = performance.now();
      if (!tail.closed) return tail;
    }
  }

  #openTail(realmId: number): Promise<Tail<Context>> {
    const { db } = this.#options;
    const opening = Tail.open(realmId, { db, memory: this.#memory, presenter: this.#presenter });
    this.#tails.set(realmId, opening);
    opening.catch(() => this.#tails.delete(realmId));
    return opening;
  }

  async #opened(): Promise<Array<Tail<Context>>> {
    const tails = await Promise.allSettled(this.#tails.values());
    return tails.flatMap((tail) => (tail.status === "fulfilled" ? [tail.value] : []));
  }

  async #quietly(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) =>
      this.#options.log.warn({ err: error }, "events could not be followed; it tries again"),
    );
  }
}

function beat(id: number): PollResult {
  const heartbeat: NumberedEvent = { type: "heartbeat", id } satisfies QueueEvent;
  return { kind: "events", events: [heartbeat] };
}
