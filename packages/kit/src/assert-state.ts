/**
 * Checks that a state machine is in a state which the transition leaves.
 * @throws Error naming both states otherwise: a mistake in our code
 */
export function assertState<State extends string>(
  subject: string,
  state: State,
  ...expected: readonly State[]
): void {
  if (!expected.includes(state))
    throw new Error(`${subject} is ${state} where it must be ${expected.join(" or ")}`);
}
