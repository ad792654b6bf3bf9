import { errors } from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";

/** Bounds of the memory of large answers, from their making until clients have read them (http-contract.md §8). */
export interface UnsentBounds {
  /** Bytes of one account; a single answer may be larger. */
  readonly ofAccount: number;
  /** Bytes of the process; a single answer may be larger. */
  readonly ofAll: number;
  /**
   * Maximum answers that are made as a whole (`largeAnswer`) at the same time, for one account and for the process. The
   * bounds in bytes do not suffice for them, because the first estimate, and an estimate after smaller answers, is too low.
   */
  readonly madeAtOnce: { readonly ofAccount: number; readonly ofAll: number };
  /** Milliseconds that a request waits for memory. */
  readonly waitMs: number;
  /** Milliseconds after which a client that reads nothing is disconnected while a request waits for memory. */
  readonly standingStillMs: number;
}

/** With 96 MB of answers a gateway uses at most half of the memory that `docker-compose.yml` gives it. */
const defaultBounds: UnsentBounds = {
  ofAccount: 16 * 2 ** 20,
  ofAll: 96 * 2 ** 20,
  madeAtOnce: { ofAccount: 1, ofAll: 4 },
  waitMs: 15_000,
  standingStillMs: 5_000,
};

/** Answers up to this size are not counted: the socket's buffers hold them. */
export const uncounted = 16 * 2 ** 10;
/** Memory of an answer with paged lists: rows, objects and text of one page. */
export const pagedBytes = 3 * 2 ** 20;
/** The estimate before an answer of the kind has been made. */
const firstGuess = 2 ** 20;
/** The memory of an answer while it is made, in multiples of its size: objects take three times the bytes of their JSON. */
const makingFactor = 3;
/** Kinds of answers whose sizes are remembered. */
const kindsRemembered = 2_000;
/** The factor by which a remembered size decays after a smaller answer of its kind. */
const decay = 0.9;
/** Milliseconds between two checks for stalled answers, while requests wait. */
const recheckMs = 500;

/** Facts about an answer before it is made. */
export interface AnswerKind {
  readonly accountId: number;
  /** Answers of the same organization and operation have similar sizes. */
  readonly kind: string;
  /** Whether a large answer is made as a whole. */
  readonly isWhole?: boolean;
  /** Memory of the answer in bytes, if that is known before; otherwise it is estimated. */
  readonly bytes?: number;
}

/** The memory that one answer holds. */
export class Lease {
  bytes: number;
  /** When the client last read something, or sending began; undefined while the answer is made. */
  progressAt: number | undefined;
  /** Ends the connection. */
  cutOff: (() => void) | undefined;
  readonly accountId: number;
  readonly kind: string;
  /** Whether it counts as an answer that is made as a whole. */
  readonly isWhole: boolean;
  /** See {@link AnswerKind.bytes}. */
  readonly known: number | undefined;
  /** Whether its answer is being made. */
  isBeingMade = false;
  readonly #owner: UnsentAnswers;
  #released = false;

  constructor(
    owner: UnsentAnswers,
    { accountId, kind, isWhole = false, bytes: known }: AnswerKind,
    bytes: number,
  ) {
    this.#owner = owner;
    this.known = known;
    this.accountId = accountId;
    this.kind = kind;
    this.isWhole = isWhole;
    this.bytes = bytes;
  }

  /**
   * Replaces the estimate by the actual size, once the answer is made.
   * @param isPaged whether making it took no more memory
   * @param refusable whether the request may still be refused, because it has changed nothing
   * @throws ApiError if the bound of the account or of the process is exceeded
   */
  settle(bytes: number, isPaged: boolean, refusable: boolean): void {
    this.#owner.settle(this, bytes, isPaged, refusable);
  }

  /** Notes that the client has read something. */
  progress(): void {
    this.progressAt = performance.now();
  }

  /** Releases the memory; later calls do nothing. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#owner.release(this);
  }
}

interface Account {
  bytes: number;
  /** Answers being made as a whole. */
  making: number;
  readonly leases: Set<Lease>;
}

interface Waiter {
  readonly lease: Lease;
  readonly until: number;
  /** Admits or refuses it. */
  readonly done: (error?: Error) => void;
}

/**
 * Bounds the memory of large answers for each account and for the process. A request enters with the estimated size of
 * its answer, waits for memory, and holds it until the client has read the answer. While a request waits, stalled
 * clients are disconnected: those of its account if the account's bound is reached, else any.
 */
export class UnsentAnswers {
  readonly #bounds: UnsentBounds;
  readonly #accounts = new Map<number, Account>();
  readonly #sizes = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #bytes = 0;
  /** Answers of all accounts being made as a whole. */
  #making = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(bounds: Partial<UnsentBounds> = {}) {
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  /** Bytes of all counted answers. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Waits for the memory of an answer of the kind.
   * @throws ApiError `RATE_LIMIT_HIT` at the bound of the account, `INTERNAL_ERROR` (503) at that of the process; the
   *   deadline's reason when that ends first
   */
  async enter(answer: AnswerKind, deadline: RequestDeadline): Promise<Lease> {
    const lease = new Lease(this, answer, answer.bytes ?? this.#expected(answer.kind));
    if (
      (lease.bytes === 0 && this.#mayBeMade(lease)) ||
      (this.#waiting.size === 0 && this.#fits(lease))
    ) {
      this.#take(lease);
      return lease;
    }
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        lease,
        until: performance.now() + this.#bounds.waitMs,
        done: (error) => {
          this.#waiting.delete(waiter);
          unsubscribe();
          if (error) reject(error);
          else resolve();
        },
      };
      const unsubscribe = deadline.onEnd(() => waiter.done(deadline.reason));
      this.#waiting.add(waiter);
      this.#admit();
      if (this.#waiting.size > 0)
        this.#timer ??= setInterval(() => this.#checkWaiting(), recheckMs);
    });
    return lease;
  }

  /** Opens an empty lease, for a long poll: it does not wait for memory, and settles with the size of its answer. */
  open(answer: AnswerKind): Lease {
    const lease = new Lease(this, answer, 0);
    this.#take(lease);
    return lease;
  }

  /** Counts the answer with its final size; see {@link Lease.settle}. */
  settle(lease: Lease, bytes: number, isPaged: boolean, refusable: boolean): void {
    if (lease.known === undefined)
      this.#remember(lease.kind, isPaged ? bytes : bytes * makingFactor);
    const room = bytes <= uncounted ? 0 : bytes;
    this.#made(lease);
    this.#add(lease, room - lease.bytes);
    if (this.#waiting.size > 0) this.#admit();
    if (room === 0 || !refusable) return;
    const account = this.#accounts.get(lease.accountId);
    const others = (account?.bytes ?? 0) - room;
    if (others > 0 && others + room > this.#bounds.ofAccount) throw this.#refusal(true);
    if (this.#bytes > room && this.#bytes > this.#bounds.ofAll) throw this.#refusal(false);
  }

  /** Frees the memory of the answer; see {@link Lease.release}. */
  release(lease: Lease): void {
    this.#made(lease);
    this.#add(lease, -lease.bytes);
    const account = this.#accounts.get(lease.accountId);
    account?.leases.delete(lease);
    if (account?.leases.size === 0) this.#accounts.delete(lease.accountId);
    if (this.#waiting.size > 0) this.#admit();
  }

  #take(lease: Lease): void {
    let account = this.#accounts.get(lease.accountId);
    if (!account)
      this.#accounts.set(lease.accountId, (account = { bytes: 0, making: 0, leases: new Set() }));
    account.leases.add(lease);
    account.bytes += lease.bytes;
    this.#bytes += lease.bytes;
    if (!lease.isWhole) return;
    lease.isBeingMade = true;
    account.making++;
    this.#making++;
  }

  /** Notes that the making of the lease's answer has ended. */
  #made(lease: Lease): void {
    if (!lease.isBeingMade) return;
    lease.isBeingMade = false;
    this.#making--;
    const account = this.#accounts.get(lease.accountId);
    if (account) account.making--;
  }

  #expected(kind: string): number {
    return this.#sizes.get(kind) ?? firstGuess;
  }

  #add(lease: Lease, bytes: number): void {
    lease.bytes += bytes;
    this.#bytes += bytes;
    const account = this.#accounts.get(lease.accountId);
    if (account) account.bytes += bytes;
  }

  #fits(lease: Lease): boolean {
    return this.#mayBeMade(lease) && this.#hasRoom(lease);
  }

  #mayBeMade({ accountId, isWhole }: Lease): boolean {
    if (!isWhole) return true;
    const { ofAccount, ofAll } = this.#bounds.madeAtOnce;
    return this.#making < ofAll && (this.#accounts.get(accountId)?.making ?? 0) < ofAccount;
  }

  #hasRoom(lease: Lease): boolean {
    return this.#accountHasRoom(lease) && this.#processHasRoom(lease);
  }

  #accountHasRoom({ accountId, bytes }: Lease): boolean {
    const held = this.#accounts.get(accountId)?.bytes ?? 0;
    return held === 0 || held + bytes <= this.#bounds.ofAccount;
  }

  #processHasRoom({ bytes }: Lease): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#bounds.ofAll;
  }

  /** Admits waiting requests that fit, in order; a request that does not fit does not block the others. */
  #admit(): void {
    for (const { lease, done } of this.#waiting) {
      // Answers of its kind may have been made since it came.
      lease.bytes = lease.known ?? this.#expected(lease.kind);
      if (!this.#fits(lease)) continue;
      this.#take(lease);
      done();
    }
    this.#stopUnusedTimer();
  }

  /** Refuses requests whose wait is over, and disconnects stalled clients for the others. */
  #checkWaiting(): void {
    const now = performance.now();
    for (const { lease, until, done } of this.#waiting) {
      const accountHasRoom = this.#accountHasRoom(lease);
      if (now >= until) done(this.#refusal(!accountHasRoom));
      else if (!this.#hasRoom(lease))
        this.#cutOffOne(accountHasRoom ? undefined : lease.accountId, now);
    }
    this.#stopUnusedTimer();
  }

  #stopUnusedTimer(): void {
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Disconnects the client that has been stalled longest. @param accountId only clients of this account */
  #cutOffOne(accountId: number | undefined, now: number): void {
    let slowest: Lease | undefined;
    for (const [id, { leases }] of this.#accounts) {
      if (accountId !== undefined && id !== accountId) continue;
      for (const lease of leases)
        if (
          lease.cutOff &&
          lease.progressAt !== undefined &&
          now - lease.progressAt >= this.#bounds.standingStillMs &&
          lease.progressAt < (slowest?.progressAt ?? Number.POSITIVE_INFINITY)
        )
          slowest = lease;
    }
    slowest?.cutOff?.();
    if (slowest) slowest.cutOff = undefined;
  }

  #refusal(isAccounts: boolean): Error {
    const seconds = Math.ceil(this.#bounds.standingStillMs / 1_000);
    return isAccounts ? errors.tooManyUnread(seconds) : errors.noRoomForAnswer(seconds);
  }

  #remember(kind: string, bytes: number): void {
    const known = this.#sizes.get(kind) ?? 0;
    const size = Math.max(bytes, Math.floor(known * decay));
    // Moves the entry to the end: the order is that of use.
    this.#sizes.delete(kind);
    this.#sizes.set(kind, size > uncounted * makingFactor ? size : 0);
    if (this.#sizes.size <= kindsRemembered) return;
    const [oldest] = this.#sizes.keys();
    if (oldest !== undefined) this.#sizes.delete(oldest);
  }
}
