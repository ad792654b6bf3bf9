/**
 * Thrown by a processor when trying again cannot help, such as after a refusal by another server:
 * the job fails for good, whatever attempts are left.
 */
export class GiveUp extends Error {
  override readonly name = "GiveUp";
}
