import { errors } from "@carillon/contract";
import type { Lifetime } from "@carillon/db";

/** Bounds of what large answers take while they are made and until clients have taken them (http-contract.md §8). */
export interface UnsentBounds {
  /** Bytes of one account; one answer may be larger where the account has no other. */
  readonly ofAccount: number;
  /** Bytes of the process; one answer may be larger where there is no other. */
  readonly ofAll: number;
  /**
   * Answers that must be made as a whole (`largeAnswer`) of one account, and of the process, that are made at once. Their
   * sizes cannot be known before: the first since the start, and those that follow smaller ones, are guessed too low.
   */
  readonly madeAtOnce: { readonly ofAccount: number; readonly ofAll: number };
  /** Milliseconds that a request waits for room. */
  readonly waitMs: number;
  /** Milliseconds after which an answer of which nothing is taken is cut off where a request waits for room. */
  readonly standingStillMs: number;
}

/** With 96 MB of answers a gateway stays within half of the memory that `docker-compose.yml` gives it. */
const defaultBounds: UnsentBounds = {
  ofAccount: 16 * 2 ** 20,
  ofAll: 96 * 2 ** 20,
  madeAtOnce: { ofAccount: 1, ofAll: 4 },
  waitMs: 15_000,
  standingStillMs: 5_000,
};

/** Answers up to that many bytes are not counted: what the system keeps for a connection holds them. */
export const uncounted = 16 * 2 ** 10;
/** What an answer whose lists are read in pages takes at a time: rows, objects and text of one page. */
export const pagedBytes = 3 * 2 ** 20;
/** What an answer is expected to take before one of its kind has been made. */
const firstGuess = 2 ** 20;
/** Objects take three times the bytes of their JSON until it is written. */
const whileMade = 3;
/** Kinds of answers whose sizes are remembered. */
const kindsRemembered = 2_000;
/** How much of a remembered size remains after a smaller answer of its kind. */
const fading = 0.9;
/** Milliseconds between two looks for answers that stand still, while requests wait. */
const lookMs = 500;

/** What is known of an answer before it is made. */
export interface AnswerKind {
  readonly accountId: number;
  /** What answers of about the same size have in common: organization and operation. */
  readonly kind: string;
  /** Whether it is made as a whole although it may be large. */
  readonly isWhole?: boolean;
}

/** Room that one answer takes. */
export class Lease {
  bytes: number;
  /** When the client took something of the answer, or it began to go out; undefined while it is made. */
  progressAt: number | undefined;
  /** Ends the connection. */
  cutOff: (() => void) | undefined;
  readonly accountId: number;
  readonly kind: string;
  /** Whether it counts among the answers that are made as a whole. */
  readonly isWhole: boolean;
  /** Whether its answer is being made. */
  isBeingMade = false;
  readonly #owner: UnsentAnswers;
  #released = false;

  constructor(
    owner: UnsentAnswers,
    { accountId, kind, isWhole = false }: AnswerKind,
    bytes: number,
  ) {
    this.#owner = owner;
    this.accountId = accountId;
    this.kind = kind;
    this.isWhole = isWhole;
    this.bytes = bytes;
  }

  /**
   * Corrects the room that was taken to what the answer takes, once it is made.
   * @param isPaged whether it took no more while it was made
   * @param refusable whether the request may be refused still: it has changed nothing
   * @throws ApiError where the account, or the process, has too many bytes without it
   */
  settle(bytes: number, isPaged: boolean, refusable: boolean): void {
    this.#owner.settle(this, bytes, isPaged, refusable);
  }

  /** Notes that the client has taken something. */
  progress(): void {
    this.progressAt = performance.now();
  }

  /** Gives the room back; more than once does nothing. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#owner.release(this);
  }
}

interface Account {
  bytes: number;
  /** Answers that are being made as a whole. */
  making: number;
  readonly leases: Set<Lease>;
}

interface Waiter {
  readonly lease: Lease;
  readonly until: number;
  /** Lets it on, or refuses it. */
  readonly done: (error?: Error) => void;
}

/**
 * Bounds the memory of large answers for each account and for the process. A request enters with the size that answers of
 * its kind had before, waits for room, and keeps its room until the client has taken the answer. While a request waits,
 * answers that stand still are cut off: those of its account where that has no room, else any.
 */
export class UnsentAnswers {
  readonly #bounds: UnsentBounds;
  readonly #accounts = new Map<number, Account>();
  readonly #sizes = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #bytes = 0;
  /** Answers of all accounts that are being made as a whole. */
  #making = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(bounds: Partial<UnsentBounds> = {}) {
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  /** Bytes of all answers that are counted. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Waits until there is room for an answer of the kind.
   * @throws ApiError `RATE_LIMIT_HIT` where the account has too much, `INTERNAL_ERROR` with 503 where the process has; the
   *   lifetime's reason where that ends first
   */
  async enter(answer: AnswerKind, lifetime: Lifetime): Promise<Lease> {
    const lease = new Lease(this, answer, this.#expected(answer.kind));
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
          forget();
          if (error) reject(error);
          else resolve();
        },
      };
      const forget = lifetime.onEnd(() => waiter.done(lifetime.reason));
      this.#waiting.add(waiter);
      this.#admit();
      if (this.#waiting.size > 0) this.#timer ??= setInterval(() => this.#look(), lookMs);
    });
    return lease;
  }

  /** A lease of nothing, for a request that waits for something else than room: it is settled with what its answer takes. */
  open(answer: AnswerKind): Lease {
    const lease = new Lease(this, answer, 0);
    this.#take(lease);
    return lease;
  }

  /** See {@link Lease.settle}. */
  settle(lease: Lease, bytes: number, isPaged: boolean, refusable: boolean): void {
    this.#remember(lease.kind, isPaged ? bytes : bytes * whileMade);
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

  /** See {@link Lease.release}. */
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

  /** Notes that the lease's answer is made, or never will be. */
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

  /** Lets on those for whom there is room, in their order; accounts without room do not hold the others. */
  #admit(): void {
    for (const { lease, done } of this.#waiting) {
      // Others of its kind may have been made since it came.
      lease.bytes = this.#expected(lease.kind);
      if (!this.#fits(lease)) continue;
      this.#take(lease);
      done();
    }
    this.#rest();
  }

  /** Refuses those that have waited long enough, and cuts off what keeps the others waiting. */
  #look(): void {
    const now = performance.now();
    for (const { lease, until, done } of this.#waiting) {
      const accountHasRoom = this.#accountHasRoom(lease);
      if (now >= until) done(this.#refusal(!accountHasRoom));
      else if (!this.#hasRoom(lease))
        this.#cutOffOne(accountHasRoom ? undefined : lease.accountId, now);
    }
    this.#rest();
  }

  #rest(): void {
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Cuts off the answer that has stood still the longest, if it is one. @param accountId only of this account */
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
    const size = Math.max(bytes, Math.floor(known * fading));
    // Entries that were used last stand last.
    this.#sizes.delete(kind);
    this.#sizes.set(kind, size > uncounted * whileMade ? size : 0);
    if (this.#sizes.size <= kindsRemembered) return;
    const [oldest] = this.#sizes.keys();
    if (oldest !== undefined) this.#sizes.delete(oldest);
  }
}
