import {
  assert,
  type IAsyncProperty,
  type IProperty,
  type Parameters as Settings,
} from "fast-check";

/** Number of runs of each property; `CARILLON_FUZZ_CASES` changes it, `CARILLON_FUZZ_SEED` the values. */
const usualRuns = Number(process.env["CARILLON_FUZZ_CASES"] ?? 300);
const seed = Number(process.env["CARILLON_FUZZ_SEED"] ?? 496);

/**
 * Checks a property with fast-check, with the same values in every run.
 * @param share factor of the usual number of runs, for an expensive property
 * @throws Error with the seed and the smallest counterexample
 */
export async function holds<Values>(
  property: IProperty<Values> | IAsyncProperty<Values>,
  share = 1,
): Promise<void> {
  const settings: Settings<Values> = { seed, numRuns: Math.ceil(usualRuns * share) };
  await assert(property as IAsyncProperty<Values>, settings);
}
