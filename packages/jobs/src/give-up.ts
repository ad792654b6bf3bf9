/** Thrown by a processor when retrying cannot help: the job fails permanently, even if attempts are left. */
export class GiveUp extends Error {
  override readonly name = "GiveUp";
}
