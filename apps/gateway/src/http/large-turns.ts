import { Lifetime, Share, Shares } from "@carillon/db";

/** How much of a kind one account may have in memory at once, and all accounts together. */
interface Places {
  readonly ofAccount: number;
  readonly ofAll: number;
}

/** Limits how many large bodies or answers lie in a gateway's memory at once: one account first, then the process. */
export class LargeTurns {
  readonly #own: Shares<number>;
  readonly #all: Share;

  constructor({ ofAccount, ofAll }: Places) {
    this.#own = new Shares<number>(ofAccount);
    this.#all = new Share(ofAll);
  }

  /**
   * Waits for the account's turn, and then for room in the process.
   * @param lifetime without one it waits as long as it takes
   * @returns gives the place back
   * @throws the lifetime's reason when that ends first
   */
  async enter(accountId: number, lifetime: Lifetime = new Lifetime()): Promise<() => void> {
    const own = this.#own.of(accountId);
    await own.enter(lifetime);
    try {
      await this.#all.enter(lifetime);
    } catch (error) {
      own.leave();
      throw error;
    }
    return () => {
      this.#all.leave();
      own.leave();
    };
  }
}

/** Values of up to 40 MB each, where no character is Latin: those of bot storage. */
export const largeTurns = new LargeTurns({ ofAccount: 1, ofAll: 4 });

/** Forms of more than 64 KiB and at most 2 MiB, so 8 MiB of one account and 64 MiB of all (http-contract.md §8). */
export const largeForms = new LargeTurns({ ofAccount: 4, ofAll: 32 });
