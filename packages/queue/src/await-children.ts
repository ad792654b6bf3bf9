import type { Publication } from "@carillon/jobs";

/**
 * Thrown by a run whose job must wait for other jobs. The queue adds these jobs as its children. When all children have
 * ended, successfully or not, the job runs again, as the same attempt. Children must belong to the same queue, with ids
 * never used before.
 */
export class AwaitChildren extends Error {
  override readonly name = "AwaitChildren";

  constructor(readonly children: readonly Publication[]) {
    super(`the job waits for ${children.length} children`);
  }
}
