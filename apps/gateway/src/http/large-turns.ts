import { Lifetime, Share, Shares } from "@carillon/db";

/** What one account may have large in memory at once, and all of them together: 40 MB each, where nothing is Latin. */
const ofAccount = 1;
const ofAll = 4;

/** Lines for what lies in a gateway's memory as a whole and may have tens of megabytes: it is had one by one. */
export class LargeTurns {
  readonly #own = new Shares<number>(ofAccount);
  readonly #all = new Share(ofAll);

  /**
   * Waits for the account's turn, and then for room.
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

/** Those of this process. */
export const largeTurns = new LargeTurns();
