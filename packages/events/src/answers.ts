import { setImmediate as nextTurn } from "node:timers/promises";

import type { Database } from "@carillon/db";

import { catchUp } from "./catch-up.ts";
import { seqOf } from "./event-ids.ts";
import type { Heartbeats } from "./heartbeats.ts";
import { furthestBehind, stalePlace } from "./lifetimes.ts";
import { ageInLog } from "./log.ts";
import type { Presenter } from "./present.ts";
import type { Poll } from "./poll.ts";
import type { EventQueue } from "./queue-options.ts";
import { dropQueue } from "./queues.ts";
import type { LogRejection } from "./log-rejection.ts";
import { Selection } from "./selection.ts";
import type { Tail } from "./tail.ts";
import type { Tails } from "./tails.ts";
import type { Semaphore } from "@carillon/kit";
import { Waiter, type PollResult } from "./waiting.ts";

/** Between two moments for heartbeats, in milliseconds: Node keeps a list for each time that timers take. */
const heartbeatStepMs = 100;

export interface AnswerParts<Context> {
  readonly db: Database;
  readonly presenter: Presenter<Context>;
  readonly tails: Tails<Context>;
  readonly semaphore: Semaphore;
  readonly heartbeats: Heartbeats<Context>;
  readonly logRejection: LogRejection;
  /** How long a poll waits before it gets a heartbeat, in milliseconds: between the two. */
  readonly heartbeatMs: readonly [number, number];
}

/** Answers polls of known queues: with what is there already, or when there is something. */
export class Answers<Context> {
  readonly #parts: AnswerParts<Context>;
  /** No poll is kept waiting any more. */
  closing = false;
  /** Polls that wait for an event. */
  waiting = 0;

  constructor(parts: AnswerParts<Context>) {
    this.#parts = parts;
  }

  /** @param head where the organization's log ended when the queue was looked up */
  async answer(queue: EventQueue, head: number, poll: Poll): Promise<PollResult> {
    const { db, presenter, tails, semaphore, heartbeats } = this.#parts;
    const tail = await tails.of(queue.realmId);
    // What was committed before the poll must be in its answer, also when the wake-up is still under way.
    if (tail.head < head) await tail.pull();
    let cursor = Math.max(queue.baseSeq, seqOf(poll.lastEventId));
    if (tail.head - cursor > furthestBehind) return this.#giveUp(queue);
    // Before the loop, since nothing may be awaited after it.
    const isStale = await this.#isStale(tail, cursor);
    const selection = new Selection(queue, presenter, tail.context);
    for (;;) {
      if (cursor < tail.recent.floor) {
        const range = { after: cursor, until: tail.recent.floor };
        const reached = await semaphore.run(() => catchUp(db, queue, selection, range));
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
    // An account that is deactivated meanwhile is told nothing more, not even that.
    if (ended?.kind === "refused") return ended;
    if (selection.events.length > 0 || poll.deadline.reason)
      return { kind: "events", events: selection.events };
    if (ended) return ended;
    if (isStale) return heartbeats.of(tail, queue, poll.lastEventId);
    if (!poll.block) return { kind: "events", events: [] };
    if (this.closing) return heartbeats.of(tail, queue, poll.lastEventId);
    return new Promise((resolve) => this.#wait(tail, queue, poll, resolve));
  }

  /**
   * Whether the place in the log is so old that a poll from there gets a heartbeat if there is nothing else. Who asks
   * without waiting, or hangs up before the heartbeat, would keep it for ever, and the log is cleared at some time.
   */
  async #isStale(tail: Tail<Context>, cursor: number): Promise<boolean> {
    if (cursor >= tail.head) return false;
    const writtenAt = tail.recent.writtenAt(cursor + 1);
    if (writtenAt !== undefined) return performance.now() - writtenAt > stalePlace * 1_000;
    const { db, semaphore } = this.#parts;
    const age = await semaphore.run(() => ageInLog(db, tail.realmId, cursor + 1));
    return age === undefined || age > stalePlace;
  }

  #wait(
    tail: Tail<Context>,
    queue: EventQueue,
    poll: Poll,
    resolve: (result: PollResult) => void,
  ): void {
    const { heartbeats, heartbeatMs, logRejection } = this.#parts;
    const waiter = new Waiter(queue, poll.lastEventId, (result) => {
      this.waiting--;
      resolve(result);
    });
    this.waiting++;
    tail.waiters.add(waiter);
    waiter.expireAfter(
      heartbeatAfter(heartbeatMs),
      () => void logRejection(heartbeats.beat(tail, waiter)),
    );
    poll.deadline.onEnd(() => tail.end(waiter, { kind: "events", events: [] }));
  }

  async #giveUp(queue: EventQueue): Promise<PollResult> {
    await dropQueue(this.#parts.db, queue.id);
    return { kind: "gone" };
  }
}

/** Milliseconds between the two, at random, so that polls which came together do not come back together. */
function heartbeatAfter([from, to]: readonly [number, number]): number {
  const steps = Math.floor((to - from) / heartbeatStepMs) + 1;
  return from + Math.floor(Math.random() * steps) * heartbeatStepMs;
}
