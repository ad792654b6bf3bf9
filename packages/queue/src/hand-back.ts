/**
 * Thrown by a run that must end through no fault of its job: the job goes back to waiting, and no attempt is counted.
 */
export class HandBack extends Error {
  override readonly name = "HandBack";
}
