/**
 * The limits of a pool where a test does not ask for others, in milliseconds. Those of the product end what takes long,
 * also where that is the machine's fault, or a test's that holds a lock until others wait for it.
 */
export const patient = {
  connectMs: 60_000,
  statementTimeoutMs: 120_000,
  idleInTransactionMs: 120_000,
};
