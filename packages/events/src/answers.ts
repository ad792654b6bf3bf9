import { setImmediate as yieldToEventLoop } from "node:timers/promises";

import type { Database } from "@carillon/db";

import { catchUp } from "./catch-up.ts";
import { seqOf } from "./event-ids.ts";
import type { Heartbeats } from "./heartbeats.ts";
import { maxEventsBehind, stalePositionSeconds } from "./lifetimes.ts";
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

/** Heartbeat times are multiples of this many milliseconds: Node keeps one list per timer duration. */
const heartbeatStepMs = 100;

export interface AnswerParts<Context> {
  readonly db: Database;
  readonly presenter: Presenter<Context>;
  readonly tails: Tails<Context>;
  readonly semaphore: Semaphore;
  readonly heartbeats: Heartbeats<Context>;
  readonly logRejection: LogRejection;
  /** The shortest and longest wait of a poll before it gets a heartbeat, in milliseconds. */
  readonly heartbeatMs: readonly [number, number];
}

/** Answers polls of queues that were found: at once when the log has events for them, else when an event arrives. */
export class Answers<Context> {
  readonly #parts: AnswerParts<Context>;
  /** Set on shutdown: polls are answered at once instead of waiting. */
  closing = false;
  /** How many polls wait for an event. */
  waiting = 0;

  constructor(parts: AnswerParts<Context>) {
    this.#parts = parts;
  }

  /**
   * Answers one poll.
   * @param head the end of the organization's log when the queue was looked up
   */
  async answer(queue: EventQueue, head: number, poll: Poll): Promise<PollResult> {
    const { db, presenter, tails, semaphore, heartbeats } = this.#parts;
    const tail = await tails.of(queue.realmId);
    // The answer must contain every event committed before the poll, even if its wake-up has not arrived yet.
    if (tail.head < head) await tail.pull();
    let cursor = Math.max(queue.baseSeq, seqOf(poll.lastEventId));
    if (tail.head - cursor > maxEventsBehind) return this.#deleteQueue(queue);
    // Awaited before the loop: an event that arrives during an await after the loop would be missed.
    const isStale = await this.#isStale(tail, cursor);
    const selection = new Selection(queue, presenter, tail.context);
    for (;;) {
      if (cursor < tail.recent.floor) {
        const range = { after: cursor, until: tail.recent.floor };
        const reached = await semaphore.run(() => catchUp(db, queue, selection, range));
        if (reached === undefined) return this.#deleteQueue(queue);
        cursor = reached;
      } else {
        cursor = selection.addSome(tail.recent.after(cursor)) ?? tail.head;
        // Nothing may be awaited from here until the waiter is registered, or an event in between would be missed.
        if (selection.isFull || cursor >= tail.head) break;
        await yieldToEventLoop();
      }
      if (selection.isFull) break;
    }
    const ended = tail.endedSince(head, queue);
    // An account that was deactivated meanwhile gets no events, not even earlier ones.
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
   * Returns whether the next event was written more than `stalePositionSeconds` seconds ago. Such a poll gets a heartbeat if it
   * has no events. A client that never waits, or hangs up before its heartbeat, would otherwise keep its position until
   * the events there are deleted.
   */
  async #isStale(tail: Tail<Context>, cursor: number): Promise<boolean> {
    if (cursor >= tail.head) return false;
    const loggedAt = tail.recent.loggedAt(cursor + 1);
    if (loggedAt !== undefined) return performance.now() - loggedAt > stalePositionSeconds * 1_000;
    const { db, semaphore } = this.#parts;
    const age = await semaphore.run(() => ageInLog(db, tail.realmId, cursor + 1));
    return age === undefined || age > stalePositionSeconds;
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

  async #deleteQueue(queue: EventQueue): Promise<PollResult> {
    await dropQueue(this.#parts.db, queue.id);
    return { kind: "queueDeleted" };
  }
}

/**
 * Returns a random number of milliseconds in the range, so that polls which arrived together do not return together.
 */
function heartbeatAfter([from, to]: readonly [number, number]): number {
  const steps = Math.floor((to - from) / heartbeatStepMs) + 1;
  return from + Math.floor(Math.random() * steps) * heartbeatStepMs;
}
