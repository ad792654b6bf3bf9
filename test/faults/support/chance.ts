import { randomInt } from "node:crypto";

/** Reproducible random numbers: a failure prints the seed, and `chance(seed)` repeats the numbers. */
export interface Chance {
  readonly seed: number;
  /** A whole number from 0, below `limit`. */
  below(limit: number): number;
}

export function chance(seed = randomInt(2 ** 32)): Chance {
  let state = seed >>> 0;
  return {
    seed,
    below(limit) {
      state = (state + 0x9e3779b9) >>> 0;
      let mixed = state;
      mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
    },
  };
}

/** Runs `work` with random numbers and adds their seed to an error, so that `CARILLON_TEST_SEED` can repeat the run. */
export async function withChance<T>(work: (chance: Chance) => Promise<T>): Promise<T> {
  const given = process.env["CARILLON_TEST_SEED"];
  const drawn = chance(given ? Number(given) : undefined);
  try {
    return await work(drawn);
  } catch (error) {
    throw new Error(`with seed ${drawn.seed}: ${(error as Error).message}`, { cause: error });
  }
}
