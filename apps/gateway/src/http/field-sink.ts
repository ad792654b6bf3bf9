/** Takes the value of one field as it comes. */
export interface FieldValue {
  /** The next piece of its text; pieces cut no character in two. */
  readonly write: (text: string) => void;
  readonly end: () => void;
}

/** Told of the fields of a form as it comes. */
export interface FieldSink {
  /**
   * There is one more field, though it may turn out to have no name.
   * @throws ApiError `BAD_REQUEST` when it is one too many
   */
  readonly admit: () => void;
  /**
   * A field with a name, whose value follows.
   * @throws ApiError `BAD_REQUEST` for a name that is too long
   */
  readonly field: (name: string) => FieldValue;
  /** A part that is a file, whose bytes nobody takes. */
  readonly file: (name: string) => void;
}
