/**
 * SQL: whether the subscriber of `s` is away, so that copies of new messages are deferred, except copies with flags
 * (docs/decisions/083).
 */
export const isAway = "s.deferred_after IS NOT NULL AND s.deferred_until IS NULL";

/**
 * SQL: whether the subscriber's copy of a message may be deferred, for the subscription `s`.
 * @param id SQL expression for the id of the message
 */
export const isDeferred = (id: string): string =>
  `s.deferred_after < ${id} AND (s.deferred_until IS NULL OR s.deferred_until >= ${id})`;
