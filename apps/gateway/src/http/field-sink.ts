/** Receives the value of one field as a stream. */
export interface FieldValue {
  /** Takes the next piece of text; pieces cut no character in two. */
  readonly write: (text: string) => void;
  readonly end: () => void;
}

/** Receives the fields of a form as a stream. */
export interface FieldSink {
  /**
   * Counts one more field, which may turn out to have no name.
   * @throws ApiError `BAD_REQUEST` when it is one too many
   */
  readonly admit: () => void;
  /**
   * Begins a field with a name; its value follows.
   * @throws ApiError `BAD_REQUEST` for a name that is too long
   */
  readonly field: (name: string) => FieldValue;
  /** Notes a part that is a file; its bytes are dropped. */
  readonly file: (name: string) => void;
}
