import { setImmediate as nextTurn } from "node:timers/promises";

import type { Database } from "@carillon/db";

import { readHead, readLog } from "./log.ts";
import type { Presenter } from "./present.ts";
import type { LoggedEvent } from "./queue-options.ts";
import { queueDeleted } from "./queues.ts";
import type { Ring, Rings } from "./ring.ts";
import { Selection } from "./selection.ts";
import { Waiters, type Waiter } from "./waiting.ts";

/** Rows that are read in one go. */
const readBatch = 500;
/** Polls that are answered in one go: others get their turn in between. */
const answerSlice = 100;

/** What the tails of one gateway share. */
export interface TailParts<Context> {
  readonly db: Database;
  readonly rings: Rings;
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
  readonly ring: Ring;
  context: Context;
  /** When a poll last came, in the process's milliseconds. */
  usedAt = performance.now();
  #pulling: Promise<void> | undefined;
  #again = false;

  private constructor(realmId: number, head: number, context: Context, parts: TailParts<Context>) {
    this.realmId = realmId;
    this.context = context;
    this.#parts = parts;
    this.ring = parts.rings.open(head);
  }

  static async open<Context>(realmId: number, parts: TailParts<Context>): Promise<Tail<Context>> {
    // The context is read after the head: a change of it in between is seen twice rather than not at all.
    const head = await readHead(parts.db, realmId);
    const context = await parts.presenter.context(realmId);
    return new Tail(realmId, head, context, parts);
  }

  /** The number of the newest event that this gateway knows. */
  get head(): number {
    return this.ring.head;
  }

  /** Reads what is new, and once more when asked meanwhile. */
  pull(): Promise<void> {
    this.#again = true;
    return (this.#pulling ??= this.#pull().finally(() => (this.#pulling = undefined)));
  }

  /** Resolves when nothing is being read or told. */
  async settled(): Promise<void> {
    await this.#pulling;
  }

  async #pull(): Promise<void> {
    const { db, rings } = this.#parts;
    while (this.#again) {
      this.#again = false;
      for (;;) {
        const rows = await readLog(db, this.realmId, this.head, readBatch);
        const first = rows[0];
        if (!first) break;
        if (first.event.seq !== this.head + 1) {
          // The log has been cleared beyond what was read here: whoever waits has missed something.
          this.endAll({ kind: "gone" });
          rings.reset(this.ring, first.event.seq - 1);
        }
        const events = rows.map(({ event }) => event);
        if (events.some(({ type }) => type === "realm"))
          this.context = await this.#parts.presenter.context(this.realmId);
        rings.append(this.ring, rows);
        await this.#tell(events);
        if (rows.length < readBatch) break;
      }
    }
  }

  /** Answers the polls that these events are for. Which ones wait is decided at once, answering takes turns. */
  async #tell(events: readonly LoggedEvent[]): Promise<void> {
    const concerned = new Map<Waiter, LoggedEvent[]>();
    for (const event of events) {
      this.#obey(event);
      for (const waiter of this.#concernedBy(event)) {
        const list = concerned.get(waiter);
        if (!list) concerned.set(waiter, [event]);
        // Twice where a poll is concerned as a receiver and by the channel.
        else if (list.at(-1) !== event) list.push(event);
      }
    }
    for (const waiter of concerned.keys()) waiter.isBeingTold = true;
    let told = 0;
    for (const [waiter, list] of concerned) {
      if (++told % answerSlice === 0) await nextTurn();
      if (waiter.finished) continue;
      const selection = new Selection(waiter.queue, this.#parts.presenter, this.context);
      selection.addAll(list);
      waiter.isBeingTold = false;
      if (selection.events.length === 0) continue;
      this.waiters.remove(waiter);
      waiter.finish({ kind: "events", events: selection.events });
    }
  }

  *#concernedBy(event: LoggedEvent): Generator<Waiter> {
    if (event.audience === null) yield* this.waiters.all();
    else yield* this.waiters.ofAudience(event.audience);
    if (this.#parts.presenter.isPublic(event)) yield* this.waiters.ofPublicChannels();
  }

  /** Events that say something to the gateway itself. */
  #obey({ type, op, payload }: LoggedEvent): void {
    if (type === queueDeleted) {
      const waiter = this.waiters.ofQueue(String(payload["queue_id"]));
      if (waiter) this.end(waiter, { kind: "events", events: [] });
      return;
    }
    const person = payload["person"] as { user_id?: number; is_active?: boolean } | undefined;
    if (type === "realm_user" && op === "update" && person?.is_active === false)
      for (const waiter of [...this.waiters.ofUser(person.user_id ?? 0)])
        this.end(waiter, { kind: "deactivated" });
  }

  end(waiter: Waiter, result: Parameters<Waiter["finish"]>[0]): void {
    this.waiters.remove(waiter);
    waiter.finish(result);
  }

  endAll(result: Parameters<Waiter["finish"]>[0]): void {
    for (const waiter of [...this.waiters.all()]) this.end(waiter, result);
  }
}
