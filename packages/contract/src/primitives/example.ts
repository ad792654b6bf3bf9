/** The first accounts of a demo, by the names of their credential files. */
export type Caller = "owner" | "admin" | "moderator" | "member" | "guest" | "bot";

/**
 * What an operation's example adds to its declaration and to the demo's values (`demo-values.ts`). A text may hold
 * `$NAME`, which an earlier example has created, or `$RANDOM`, which makes a name unique.
 */
export interface Example {
  /** The caller: unless given a member, or the owner if an administrator is needed. */
  readonly as?: Caller;
  /** By name: strings are sent as they are, other values as JSON. */
  readonly path?: Readonly<Record<string, string | number>>;
  readonly params?: Readonly<Record<string, unknown>>;
  /** The file that an operation with `takesFile` gets: text with a name; other bytes in base64. */
  readonly file?: { readonly name: string } & (
    | { readonly content: string }
    | { readonly base64: string }
  );
  /** Request headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of an operation with `bytesType`. */
  readonly bytes?: string;
  /** Whether it shows the headers of the answer, which another example then reads with `made`. */
  readonly showsHeaders?: true;
  /**
   * Created first, by the example of an operation: a field of its answer, of the first item of the answer's list, or a
   * header with `showsHeaders`, becomes `$NAME`, without the text up to and including `beginsWith`.
   */
  readonly made?: Readonly<
    Record<string, readonly [operationId: string, field: string, beginsWith?: string]>
  >;
  /** The refusal if the demo organization lacks something: the status, and what is missing. */
  readonly refused?: readonly [status: number, why: string];
}
