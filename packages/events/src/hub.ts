import type { Database } from "@carillon/db";
import type { Logger } from "@carillon/kit";

import { Answers } from "./answers.ts";
import { isFromTheFuture } from "./event-ids.ts";
import { Heartbeats } from "./heartbeats.ts";
import { readHeads } from "./log.ts";
import type { Poll } from "./poll.ts";
import { skippingFailures, type Presenter } from "./present.ts";
import { QueueLookup } from "./queue-lookup.ts";
import { QueueUse } from "./queue-use.ts";
import { logRejection, type LogRejection } from "./log-rejection.ts";
import { EventMemory, type MemoryLimits } from "./recent-events.ts";
import type { Tail } from "./tail.ts";
import { Tails } from "./tails.ts";
import { Semaphore } from "@carillon/kit";
import type { PollResult } from "./waiting.ts";

export interface HubOptions<Context> {
  readonly db: Database;
  readonly presenter: Presenter<Context>;
  readonly log: Logger;
  readonly limits?: MemoryLimits;
  /** Interval at which the log is read without a wake-up, in milliseconds. */
  readonly logReadMs?: number;
  /** The shortest and longest wait of a poll before it gets a heartbeat, in milliseconds. */
  readonly heartbeatMs?: readonly [number, number];
}

/** Connections that polls may use at a time, of the gateway's 10. */
const connectionsForPolls = 4;
/** Interval at which `last_seen` of queues in use is updated, in milliseconds. */
const touchMs = 15_000;

/**
 * Answers the polls of one gateway (events.md §2, §6). Queues and events are stored in the database, so that any
 * gateway serves any queue; a gateway holds only recent events and its waiting polls.
 */
export class EventHub<Context> {
  readonly #db: Database;
  readonly #memory: EventMemory;
  readonly #semaphore = new Semaphore(connectionsForPolls);
  readonly #lookup: QueueLookup;
  readonly #use: QueueUse;
  readonly #tails: Tails<Context>;
  readonly #heartbeats: Heartbeats<Context>;
  readonly #answers: Answers<Context>;
  readonly #logRejection: LogRejection;
  readonly #timers: NodeJS.Timeout[];
  #open = 0;
  #readingGrownLogs: Promise<void> | undefined;

  constructor(options: HubOptions<Context>) {
    const { db, log, limits, logReadMs = 1_000, heartbeatMs = [45_000, 55_000] } = options;
    const presenter = skippingFailures(options.presenter, log);
    this.#db = db;
    this.#memory = new EventMemory(limits ?? { events: 20_000, weight: 64_000_000 });
    this.#lookup = new QueueLookup(presenter.accounts);
    this.#use = new QueueUse(db, this.#lookup);
    this.#tails = new Tails({ db, memory: this.#memory, presenter });
    this.#logRejection = logRejection(log);
    this.#heartbeats = new Heartbeats(db, presenter, this.#logRejection);
    this.#answers = new Answers({
      db,
      presenter,
      tails: this.#tails,
      semaphore: this.#semaphore,
      heartbeats: this.#heartbeats,
      logRejection: this.#logRejection,
      heartbeatMs,
    });
    this.#timers = [
      setInterval(() => void this.#logRejection(this.readGrownLogs()), logReadMs),
      setInterval(() => void this.#logRejection(this.touch()), touchMs),
    ];
  }

  /**
   * Counts for metrics. `polls`: open polls; `waiting`: open polls that wait for an event; `events`, `bytes`: events in
   * memory and their approximate size.
   */
  get counters(): { polls: number; waiting: number; events: number; bytes: number } {
    const { events, weight } = this.#memory;
    return { polls: this.#open, waiting: this.#answers.waiting, events, bytes: weight };
  }

  /** Reads new events of an organization whose log has grown. */
  wake(realmId: number): void {
    const tail = this.#tails.known(realmId);
    if (tail) void this.#logRejection(tail.then((opened) => opened.pull()));
  }

  /**
   * Reads the logs that have grown and have waiting polls, in case wake-ups were lost. Closes tails with events that their
   * log has lost. Ends the polls of organizations that continue at another installation. Runs once at a time.
   */
  readGrownLogs(): Promise<void> {
    return (this.#readingGrownLogs ??= this.#readGrownLogs().finally(
      () => (this.#readingGrownLogs = undefined),
    ));
  }

  async #readGrownLogs(): Promise<void> {
    const waiting = (await this.#tails.opened()).filter(({ waiters }) => waiters.size > 0);
    if (waiting.length === 0) return;
    const known = new Map(waiting.map((tail) => [tail, tail.head]));
    const heads = await readHeads(
      this.#db,
      waiting.map(({ realmId }) => realmId),
    );
    const ended = new Set(heads.flatMap(({ realmId, hasEnded }) => (hasEnded ? [realmId] : [])));
    for (const tail of waiting) if (ended.has(tail.realmId)) tail.endAll({ kind: "queueDeleted" });
    const head = new Map(heads.map(({ realmId, seq }) => [realmId, seq]));
    const grown = waiting.filter((tail) => (head.get(tail.realmId) ?? 0) > tail.head);
    // A log becomes shorter only by a failover to a standby that was behind.
    for (const [tail, seq] of known)
      if ((head.get(tail.realmId) ?? 0) < seq) this.#tails.drop(tail);
    await Promise.all(grown.map((tail) => this.#logRejection(tail.pull())));
    await this.#use.touchShortLived(
      waiting.flatMap(({ waiters }) => [...waiters.all()].map(({ queue }) => queue)),
    );
  }

  /** Updates `last_seen` of queues in use, and ends polls whose queues no longer exist. */
  async touch(): Promise<void> {
    const tails = await this.#tails.opened();
    const open = tails.flatMap((tail) =>
      [...tail.waiters.all()].map((waiter) => ({ tail, waiter })),
    );
    const alive = await this.#use.touchUsed(open.map(({ waiter }) => waiter.queue.id));
    for (const { tail, waiter } of open)
      if (alive && !alive.has(waiter.queue.id)) tail.end(waiter, { kind: "queueDeleted" });
    this.#tails.closeUnused(tails);
  }

  async poll(poll: Poll): Promise<PollResult> {
    this.#open++;
    try {
      // A client that hung up while waiting for a permit needs no lookup.
      const found = await this.#semaphore.run(async () =>
        poll.deadline.reason ? undefined : this.#lookup.find(this.#db, poll),
      );
      if (!found) return { kind: "queueDeleted" };
      if (!found.keyIsCurrent) return { kind: "refused" };
      const { queue, head } = found;
      if (isFromTheFuture(poll.lastEventId, head)) return { kind: "future" };
      await this.#use.markUsed(queue);
      const result = await this.#answers.answer(queue, head, poll);
      await this.#logRejection(this.#use.markUsed(queue));
      return result;
    } finally {
      this.#open--;
    }
  }

  /** Answers every open poll with a heartbeat; later polls do not wait. */
  async close(): Promise<void> {
    this.#answers.closing = true;
    for (const timer of this.#timers) clearInterval(timer);
    const tails = await this.#tails.opened();
    await Promise.all(tails.map((tail) => this.#end(tail)));
    await this.#logRejection(this.touch());
  }

  async #end(tail: Tail<Context>): Promise<void> {
    const open = [...tail.waiters.all()];
    const beat = (waiter: (typeof open)[number]) =>
      this.#logRejection(this.#heartbeats.beat(tail, waiter));
    // Beat at once, so that it works while the database is down. Polls that are being sent an event get the event
    // instead.
    await Promise.all(open.filter(({ isBeingAnswered }) => !isBeingAnswered).map(beat));
    await this.#logRejection(tail.settled());
    await Promise.all(open.map(beat));
  }
}
