/** Thrown by a run that must end now, through no fault of the job: it goes back to wait, and no attempt is counted. */
export class HandBack extends Error {
  override readonly name = "HandBack";
}
