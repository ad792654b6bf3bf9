/**
 * Checks that a state machine is in a state that the transition may leave.
 * @throws Error naming both states otherwise: a bug in our code
 */
export function assertState<State extends string>(
  subject: string,
  state: State,
  ...expected: readonly State[]
): void {
  if (!expected.includes(state))
    throw new Error(`${subject} is ${state} where it must be ${expected.join(" or ")}`);
}

/** A named state with its data. */
export type State<Kind extends string, Data = unknown> = { readonly kind: Kind } & Data;

/** A state machine that asserts its transitions and lets others wait for a state. */
export class StateMachine<AnyState extends State<string>> {
  readonly #subject: string;
  #state: AnyState;
  readonly #waiters = new Set<(state: AnyState) => void>();

  constructor(subject: string, state: AnyState) {
    this.#subject = subject;
    this.#state = state;
  }

  get state(): AnyState {
    return this.#state;
  }

  /**
   * Moves from one of the states `from` to `to`.
   * @throws Error in any other state: a bug in our code
   */
  move(from: ReadonlyArray<AnyState["kind"]>, to: AnyState): void {
    assertState<AnyState["kind"]>(this.#subject, this.#state.kind, ...from);
    this.#state = to;
    for (const waiter of this.#waiters) waiter(to);
  }

  /** Resolves with the first state of one of these kinds, starting with the current one. */
  until<Kind extends AnyState["kind"]>(
    kinds: readonly Kind[],
  ): Promise<Extract<AnyState, { readonly kind: Kind }>> {
    type Wanted = Extract<AnyState, { readonly kind: Kind }>;
    const isWanted = (state: AnyState): state is Wanted =>
      kinds.some((kind) => kind === state.kind);
    const state = this.#state;
    if (isWanted(state)) return Promise.resolve(state);
    return new Promise((resolve) => {
      const waiter = (next: AnyState) => {
        if (!isWanted(next)) return;
        this.#waiters.delete(waiter);
        resolve(next);
      };
      this.#waiters.add(waiter);
    });
  }
}
