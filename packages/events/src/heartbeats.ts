import { filler, heartbeat } from "@carillon/contract";
import type { Database } from "@carillon/db";

import { emit } from "./emit.ts";
import { heartbeatId } from "./event-ids.ts";
import type { Presenter } from "./present.ts";
import type { EventQueue } from "./queue-options.ts";
import type { LogRejection } from "./log-rejection.ts";
import { Selection } from "./selection.ts";
import type { Tail } from "./tail.ts";
import type { PollResult, Waiter } from "./waiting.ts";

/** After how many milliseconds a heartbeat that had to stand back is tried again. */
const beatAgainMs = 100;

/** Answers polls with heartbeats (events.md §6). */
export class Heartbeats<Context> {
  readonly #db: Database;
  readonly #presenter: Presenter<Context>;
  readonly #logRejection: LogRejection;

  constructor(db: Database, presenter: Presenter<Context>, logRejection: LogRejection) {
    this.#db = db;
    this.#presenter = presenter;
    this.#logRejection = logRejection;
  }

  /** Answers a poll that waits. */
  async beat(tail: Tail<Context>, waiter: Waiter): Promise<void> {
    if (waiter.finished) return;
    if (waiter.isBeingTold) {
      // An event is on its way to it. Should it turn out not to want that one, its heartbeat is due all the same.
      waiter.expireAfter(beatAgainMs, () => void this.#logRejection(this.beat(tail, waiter)));
      return;
    }
    tail.waiters.remove(waiter);
    try {
      waiter.finish(await this.of(tail, waiter.queue, waiter.lastId));
    } catch (error) {
      waiter.finish({ kind: "events", events: [] });
      throw error;
    }
  }

  /** A heartbeat for a queue that has got everything up to the tail's head. */
  async of(tail: Tail<Context>, queue: EventQueue, lastId: number): Promise<PollResult> {
    const { head, realmId } = tail;
    const id = heartbeatId(lastId, head);
    if (id !== undefined) return heartbeatOf(id);
    // After 1,023 heartbeats in a row the numbers before the next event are used up: there must be one.
    await this.#db.transaction(async (tx) => emit(tx, realmId, [filler({}, { audience: [] })]));
    await tail.pull();
    const selection = new Selection(queue, this.#presenter, tail.context);
    if (head >= tail.recent.floor) selection.addAll(tail.recent.after(head));
    const next = heartbeatId(lastId, tail.head);
    return selection.events.length > 0 || next === undefined || head < tail.recent.floor
      ? { kind: "events", events: selection.events }
      : heartbeatOf(next);
  }
}

function heartbeatOf(id: number): PollResult {
  return { kind: "events", events: [{ type: heartbeat.type, id }] };
}
