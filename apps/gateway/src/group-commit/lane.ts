import { errors } from "@carillon/contract";
import { onItsOwn, type Company, type Database, type Tx, type Written } from "@carillon/db";
import type { Logger } from "@carillon/kit";
import type { Site } from "@carillon/model";

import { groupBounds, isGone, type Batch, type GroupBounds, type Member } from "./batch.ts";
import { inOneTransaction } from "./in-one-transaction.ts";
import { WaitingLine } from "./waiting-line.ts";

/** What a client that is turned away is to wait, in seconds. */
const retryAfter = 1;

export interface LaneParts {
  readonly db: Database;
  readonly site: Site;
  readonly log: Logger;
  readonly bounds?: Partial<GroupBounds> | undefined;
  /** Hears how long a request waited before it was begun, in seconds. */
  readonly onBegin?: (seconds: number) => void;
}

/** Rolls back the transaction of a request that is by itself and not done. */
class NotDone<Result> extends Error {
  constructor(readonly written: Written<Result>) {
    super("the request is not done");
  }
}

/**
 * The requests of one operation and organization in this gateway. One that comes while none is written goes at once;
 * those that come meanwhile go together, in the next transaction.
 */
export class Lane<Request, Result> {
  readonly #parts: LaneParts;
  readonly #bounds: GroupBounds;
  readonly #batch: Batch<Request, Result>;
  readonly #company: Company;
  readonly #onEmpty: () => void;
  readonly #line = new WaitingLine<Member<Request, Result>>();
  /** Lanes of those who wait for what others hold, by what that is. */
  readonly #apart = new Map<number, Lane<Request, Result>>();
  #isWriting = false;
  /** How many go together: fewer after a transaction in which not all had room. */
  #most: number;

  /**
   * @param mayWait whether its transactions, of one request each, may wait for what others hold
   * @param onEmpty called when nobody is in it any more
   */
  constructor(
    parts: LaneParts,
    batch: Batch<Request, Result>,
    onEmpty: () => void,
    mayWait = false,
  ) {
    this.#parts = parts;
    this.#bounds = { ...groupBounds, ...parts.bounds };
    this.#batch = batch;
    this.#onEmpty = onEmpty;
    this.#company = mayWait
      ? onItsOwn
      : { mayWait, isAwaited: (number) => this.#apart.has(number) };
    this.#most = mayWait ? 1 : this.#bounds.requests;
  }

  /** How many wait, apart ones too. */
  get waiting(): number {
    const apart = [...this.#apart.values()];
    return apart.reduce((sum, lane) => sum + lane.waiting, this.#line.length);
  }

  join(member: Member<Request, Result>): void {
    if (!this.#isWriting) {
      void this.#work([member]);
      return;
    }
    member.lifetime.onEnd(() => {
      if (this.#line.remove(member)) member.reject(member.lifetime.reason);
    });
    this.#line.add(member);
    this.#turnAway();
  }

  /** Where too many wait, those go that came last from the account with most: nobody keeps others out of the line. */
  #turnAway(): void {
    const { waiting, waitingWeight } = this.#bounds;
    const line = this.#line;
    while (line.length > waiting || line.weight > waitingWeight) {
      const last = line.lastOfLargest(line.length > waiting ? () => 1 : ({ weight }) => weight);
      if (!last) return;
      line.remove(last);
      last.reject(errors.tooBusy(retryAfter));
    }
  }

  async #work(first: ReadonlyArray<Member<Request, Result>>): Promise<void> {
    this.#isWriting = true;
    let members = first;
    while (members.length > 0) {
      for (const { since } of members) this.#parts.onBegin?.((performance.now() - since) / 1_000);
      await this.#write(members);
      members = this.#line.take(this.#most, this.#bounds.weight);
    }
    this.#isWriting = false;
    this.#leaveEmpty();
  }

  #leaveEmpty(): void {
    if (!this.#isWriting && this.#apart.size === 0) this.#onEmpty();
  }

  /** Writes them, again without those who have gone meanwhile. */
  async #write(members: ReadonlyArray<Member<Request, Result>>): Promise<void> {
    let rest = members;
    let failure: unknown;
    while (rest.length > 1 && failure === undefined)
      ({ members: rest, failure } = await this.#writeTogether(rest));
    if (failure !== undefined)
      this.#parts.log.error(
        { err: failure, requests: rest.length },
        "requests that were written together failed; they go one by one",
      );
    for (const member of rest) await this.#writeAlone(member);
  }

  #writeTogether(members: ReadonlyArray<Member<Request, Result>>) {
    const requests = members.map(({ request }) => request);
    return inOneTransaction(
      this.#parts.db,
      members,
      (tx) => this.#writeAll(tx, requests),
      (written) => this.#settle(members, written),
    );
  }

  async #writeAlone(member: Member<Request, Result>): Promise<void> {
    const { lifetime, request } = member;
    const { share } = lifetime;
    // Others would wait with it for an account that has as many connections as it may.
    if (!this.#company.mayWait) lifetime.share = undefined;
    try {
      const result = await this.#parts.db.within(lifetime).transaction(async (tx) => {
        const [written] = await this.#writeAll(tx, [request]);
        if (written?.kind !== "done") throw new NotDone(written!);
        return written.result;
      });
      this.#most = this.#company.mayWait ? 1 : Math.min(2 * this.#most, this.#bounds.requests);
      member.resolve(result);
    } catch (error) {
      if (error instanceof NotDone) this.#settle([member], [error.written]);
      else member.reject(error);
    } finally {
      lifetime.share = share;
    }
  }

  async #writeAll(tx: Tx, requests: readonly Request[]): Promise<ReadonlyArray<Written<Result>>> {
    const written = await this.#batch.write(tx, this.#parts.site, requests, this.#company);
    if (written.length !== requests.length || written[0]?.kind === "later")
      throw new Error("an operation has not said what became of the first request, or of each");
    return written;
  }

  /** Tells those for whom it is over, and lets the others wait again. */
  #settle(
    members: ReadonlyArray<Member<Request, Result>>,
    written: ReadonlyArray<Written<Result>>,
  ): void {
    const later: Array<Member<Request, Result>> = [];
    for (const [i, member] of members.entries()) {
      const each = written[i]!;
      if (each.kind === "done") {
        if (members.length > 1) member.lifetime.commits++;
        member.resolve(each.result);
      } else if (each.kind === "refused") member.reject(each.error);
      else if (isGone(member)) member.reject(member.lifetime.reason);
      else if (each.kind === "later") later.push(member);
      else this.#setApart(member, each.awaits);
    }
    this.#line.putBack(later);
    const most = later.length > 0 ? members.length - later.length : 2 * this.#most;
    this.#most = Math.min(most, this.#bounds.requests);
  }

  #setApart(member: Member<Request, Result>, awaits: number): void {
    let lane = this.#apart.get(awaits);
    if (!lane) {
      const onEmpty = () => {
        this.#apart.delete(awaits);
        this.#leaveEmpty();
      };
      lane = new Lane(this.#parts, this.#batch, onEmpty, true);
      this.#apart.set(awaits, lane);
    }
    lane.join(member);
  }
}
