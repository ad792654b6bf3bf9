/** Receivers of an event: ids of accounts, their SQL array literal, or null for every active account. */
export type Audience = readonly number[] | string | null;

/**
 * An event for `emit`. Only the declaration of its type constructs one, so that its payload is of the declared type.
 */
export class NewEvent {
  readonly type: string;
  readonly op: string | undefined;
  /** Logged once for all receivers. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly audience: Audience;
  /** Fields that differ between receivers: account id → fields. */
  readonly userData: Readonly<Record<string, unknown>> | undefined;
  #text: string | undefined;
  /** Makes the type nominal. */
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

  /**
   * Returns the payload as JSON. Callers may call it before the transaction to serialize early; later calls reuse the
   * text.
   */
  write(): string {
    return (this.#text ??= JSON.stringify(this.payload));
  }
}
