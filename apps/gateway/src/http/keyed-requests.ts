import { ApiError, errors } from "@carillon/contract";
import { RequestDeadline } from "@carillon/db";
import { type IdempotencyKey, StoredAnswer } from "@carillon/domain";
import { KeyedSemaphore, type Semaphore } from "@carillon/kit";

/** Maximum milliseconds that a request waits for another request with the same key. */
const maxWaitMs = 5_000;

/** The properties of a key that are known before its request runs. */
export type KeyIdentity = Pick<IdempotencyKey, "id" | "accountId" | "fingerprint">;

/** The answer of a request with a key. */
interface KeyedAnswer<Answer> {
  readonly answer: Answer | object;
  /** Whether it is the stored answer of an earlier request. */
  readonly isReplayed: boolean;
}

/**
 * Runs requests with an `Idempotency-Key` (once-and-again.md §1). Requests of this process with equal keys run one by one.
 */
export class KeyedRequests {
  /**
   * Counts of requests. `first`: carried out; `replayed`: got the stored answer; `mismatched`: refused for other
   * parameters; `waited`: waited for another request, whatever the outcome.
   */
  readonly counts = { first: 0, replayed: 0, mismatched: 0, waited: 0 };
  readonly #running = new KeyedSemaphore<string>(1);
  readonly #waitMs: number;

  /** @param waitMs milliseconds, 5,000 unless given */
  constructor(waitMs = maxWaitMs) {
    this.#waitMs = waitMs;
  }

  /**
   * Runs `work` once no request with the key runs in this process.
   * @throws ApiError `IDEMPOTENCY_KEY_IN_USE` if that takes too long; the deadline's reason; what `work` throws, except
   *   a StoredAnswer
   */
  async run<Answer>(
    identity: KeyIdentity,
    deadline: RequestDeadline,
    work: (key: IdempotencyKey) => Promise<Answer>,
  ): Promise<KeyedAnswer<Answer>> {
    const until = performance.now() + this.#waitMs;
    let hasWaited = false;
    const onWait = () => {
      if (!hasWaited) this.counts.waited++;
      hasWaited = true;
    };
    const permit = this.#running.of(identity.id);
    if (!permit.tryAcquire()) {
      onWait();
      await acquireWithin(permit, this.#waitMs, deadline);
    }
    try {
      // Both waits, for this process and for another one, share one limit.
      const waitMs = hasWaited ? until - performance.now() : this.#waitMs;
      const answer = await work({ ...identity, waitMs, onWait });
      this.counts.first++;
      return { answer, isReplayed: false };
    } catch (error) {
      if (error instanceof StoredAnswer) {
        this.counts.replayed++;
        return { answer: error.answer, isReplayed: true };
      }
      if (error instanceof ApiError && error.code === "IDEMPOTENCY_KEY_REUSED")
        this.counts.mismatched++;
      throw error;
    } finally {
      permit.release();
    }
  }
}

async function acquireWithin(
  permit: Semaphore,
  ms: number,
  deadline: RequestDeadline,
): Promise<void> {
  deadline.check();
  const wait = new RequestDeadline();
  wait.limit(ms, errors.idempotencyKeyInUse);
  const unsubscribe = deadline.onEnd(() => wait.end(deadline.reason ?? errors.unavailable(), true));
  try {
    await permit.acquire(wait);
  } finally {
    wait.unlimit();
    unsubscribe();
  }
}
