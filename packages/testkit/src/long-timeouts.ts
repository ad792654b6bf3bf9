/**
 * Default pool limits of tests, in milliseconds. The product's limits would fail tests on a slow machine, or tests that
 * hold locks.
 */
export const longTimeouts = {
  connectMs: 60_000,
  statementTimeoutMs: 120_000,
  idleInTransactionMs: 120_000,
};
