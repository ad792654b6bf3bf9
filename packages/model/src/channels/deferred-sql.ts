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

/**
 * SQL: the assignment that ends the range of deferred copies, in an UPDATE of `subscriptions`. The account has the copies of
 * later messages at once, or does not receive these messages. The caller must hold the audience lock of the channel.
 */
export const endDeferral = `deferred_until = CASE WHEN deferred_after IS NOT NULL
      THEN coalesce(deferred_until, (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM messages_id_seq)) END`;
