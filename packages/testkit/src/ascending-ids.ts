/** Returns the ids of accounts in ascending order, as events and answers list them. */
export function ascendingIds(...accounts: ReadonlyArray<{ readonly id: number }>): number[] {
  return accounts.map(({ id }) => id).toSorted((a, b) => a - b);
}
