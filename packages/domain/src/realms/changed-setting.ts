/** A setting of an organization that has another value by now. */
export interface ChangedSetting {
  /** As on the wire. */
  readonly name: string;
  readonly before: unknown;
  readonly value: unknown;
}
