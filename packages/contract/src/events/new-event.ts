/** Who is told: ids of accounts, their SQL array literal, or null for every active account. */
export type Audience = readonly number[] | string | null;

/**
 * Something that clients are told, for `emit`. Only the declaration of its type makes one, so that its payload is what
 * the declaration says.
 */
export class NewEvent {
  readonly type: string;
  readonly op: string | undefined;
  /** What the log keeps, once for all receivers. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly audience: Audience;
  /** What differs between receivers, by exception: account id → fields. */
  readonly userData: Readonly<Record<string, unknown>> | undefined;
  #text: string | undefined;
  /** Makes an object that only looks like one another type. */
  declare protected readonly made: never;

  /** @internal call the declaration */
  constructor(
    { type, op }: { readonly type: string; readonly op?: string | undefined },
    payload: Readonly<Record<string, unknown>>,
    audience: Audience,
    userData?: Readonly<Record<string, unknown>>,
  ) {
    this.type = type;
    this.op = op;
    this.payload = payload;
    this.audience = audience;
    this.userData = userData;
  }

  /** The payload as JSON, written once: it may be asked for beforehand, when there is time. */
  write(): string {
    return (this.#text ??= JSON.stringify(this.payload));
  }
}
