import type { Publication } from "@carillon/jobs";

/**
 * Thrown by a run whose job has to wait for others: these go into its queue as its children, and it runs again, as the
 * same attempt, when each of them has ended, well or not. They must be of its own queue, under ids that were never there.
 */
export class AwaitChildren extends Error {
  override readonly name = "AwaitChildren";

  constructor(readonly children: readonly Publication[]) {
    super(`it waits for ${children.length} jobs`);
  }
}
