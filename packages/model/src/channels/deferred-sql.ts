/**
 * SQL: whether the person of the subscription `s` is away: their copies of new messages are deferred, except those with
 * flags (docs/decisions/083).
 */
export const isAway = "s.deferred_after IS NOT NULL AND s.deferred_until IS NULL";

/** SQL: whether the copy of a message by the person of the subscription `s` may be deferred. @param id an expression */
export const isDeferred = (id: string): string =>
  `s.deferred_after < ${id} AND (s.deferred_until IS NULL OR s.deferred_until >= ${id})`;
