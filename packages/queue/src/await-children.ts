import type { Publication } from "@carillon/jobs";

/**
 * Thrown by a run whose job must wait for other jobs. These are added as its children, and the job runs again, as the
 * same attempt, when all children have ended, successfully or not. Children must belong to the same queue, with ids
 * never used before.
 */
export class AwaitChildren extends Error {
  override readonly name = "AwaitChildren";

  constructor(readonly children: readonly Publication[]) {
    super(`it waits for ${children.length} jobs`);
  }
}
