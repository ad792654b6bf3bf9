/** Receives the value of one field as a stream. */
export interface FieldValue {
  /** Takes the next piece of text; pieces cut no character in two. */
  readonly write: (text: string) => void;
  readonly end: () => void;
}

/** What the head of a part tells about a file. */
export interface FilePart {
  /** The name of the part; empty if it has none. */
  readonly name: string;
  /** Its file name, not decoded from percent escapes; may be empty. */
  readonly filename: string;
  /** Its content type, as sent. */
  readonly contentType: string | undefined;
}

/** Receives the bytes of one file as a stream. */
export interface FileBytes {
  readonly write: (bytes: Buffer) => void;
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
  /**
   * Begins a part that is a file.
   * @returns what takes its bytes; without it they are dropped
   */
  readonly file: (part: FilePart) => FileBytes | undefined;
}
