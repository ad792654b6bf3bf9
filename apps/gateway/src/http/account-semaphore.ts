import type { RequestDeadline } from "@carillon/db";
import { KeyedSemaphore, Semaphore } from "@carillon/kit";

/** Permits for one account, and for the process. */
interface Permits {
  readonly ofAccount: number;
  readonly ofAll: number;
}

/** A semaphore for each account within a semaphore for the process. It bounds large bodies and answers in memory. */
export class AccountSemaphore {
  readonly #own: KeyedSemaphore<number>;
  readonly #all: Semaphore;

  constructor({ ofAccount, ofAll }: Permits) {
    this.#own = new KeyedSemaphore<number>(ofAccount);
    this.#all = new Semaphore(ofAll);
  }

  /** Whether requests wait for a permit of the process. */
  get isContended(): boolean {
    return this.#all.isContended;
  }

  /**
   * Waits for a permit of the account, and then for one of the process.
   * @param deadline without one the wait has no deadline
   * @returns a function that releases the permit
   * @throws the deadline's reason when that ends first
   */
  async acquire(
    accountId: number,
    deadline?: Pick<RequestDeadline, "reason" | "onEnd">,
  ): Promise<() => void> {
    const own = this.#own.of(accountId);
    await own.acquire(deadline);
    try {
      await this.#all.acquire(deadline);
    } catch (error) {
      own.release();
      throw error;
    }
    return () => {
      this.#all.release();
      own.release();
    };
  }
}

/**
 * For values of bot storage. Each takes up to 40 MB, if no character is Latin, and leaves as much garbage. With four permits
 * instead of two, eight bots took 12.0 s instead of 12.8.
 */
export const largeValueSemaphore = new AccountSemaphore({ ofAccount: 1, ofAll: 2 });

/**
 * For bodies with a file, which are stored as they arrive (files.md §1): each occupies 64 KiB and the buffers of the file
 * store.
 */
export const fileSemaphore = new AccountSemaphore({ ofAccount: 8, ofAll: 128 });

/** For payloads of 64 KiB to 2 MiB while they are parsed: the values of a hostile one may take 50 MB. */
export const largePayloadSemaphore = new AccountSemaphore({ ofAccount: 1, ofAll: 2 });

/** For forms of 64 KiB to 2 MiB, so 8 MiB of one account and 64 MiB of all (http-contract.md §8). */
export const largeFormSemaphore = new AccountSemaphore({ ofAccount: 4, ofAll: 32 });
