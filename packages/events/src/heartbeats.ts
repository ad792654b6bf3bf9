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

/** Milliseconds until a postponed heartbeat is sent, unless an event answers the poll first. */
const beatAgainMs = 100;

/** Answers polls that have waited long without an event with a heartbeat (events.md §6). */
export class Heartbeats<Context> {
  readonly #db: Database;
  readonly #presenter: Presenter<Context>;
  readonly #logRejection: LogRejection;

  constructor(db: Database, presenter: Presenter<Context>, logRejection: LogRejection) {
    this.#db = db;
    this.#presenter = presenter;
    this.#logRejection = logRejection;
  }

  /** Answers a waiting poll with a heartbeat. */
  async beat(tail: Tail<Context>, waiter: Waiter): Promise<void> {
    if (waiter.finished) return;
    if (waiter.isBeingAnswered) {
      // An event is being presented to this poll. If the queue does not want it, the heartbeat is still due.
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

  /** Returns a heartbeat for a queue that has received everything up to the tail's head. */
  async of(tail: Tail<Context>, queue: EventQueue, lastId: number): Promise<PollResult> {
    const { head, realmId } = tail;
    const id = heartbeatId(lastId, head);
    if (id !== undefined) return heartbeatOf(id);
    // After 1,023 heartbeats in a row no id is left before the next event. An internal event makes room.
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
