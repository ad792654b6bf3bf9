/** The first accounts of a demo, by the names of their credential files. */
export type Caller = "owner" | "admin" | "moderator" | "member" | "guest" | "bot";

/**
 * What an operation's example says that does not follow from its declaration and from what the demo has
 * (`demo-values.ts`). A text may hold `$NAME`, what an example before it has made, or `$RANDOM`, which makes a name new.
 */
export interface Example {
  /** Whose request it is: a member's, or the owner's where it takes an administrator, unless given. */
  readonly as?: Caller;
  /** By name: texts go out as they are, everything else as JSON. */
  readonly path?: Readonly<Record<string, string | number>>;
  readonly params?: Readonly<Record<string, unknown>>;
  /** What is made first: the operation whose example makes it, and the field of its answer that becomes `$NAME`. */
  readonly made?: Readonly<Record<string, readonly [operationId: string, field: string]>>;
  /** What it answers in the demo, where that lacks something: the status, and what is lacking. */
  readonly refused?: readonly [status: number, why: string];
}
