/** Queues with an idle time-out of at least this many seconds are marked as used in batches; others at once. */
export const longLivedSeconds = 60;

/**
 * A queue whose position in the log is older than this many seconds is advanced by a heartbeat, because old events are
 * deleted.
 */
export const stalePositionSeconds = 60;

/** Seconds that a queue is served beyond its idle time-out: for time-outs below `longLivedSeconds`, and for longer ones. */
const slack = { short: 5, long: 60 };

/**
 * SQL: the seconds for which queue `q` is served after its `last_seen`, which may be older than the last poll:
 * gateways update it every 15 s while polls are open, a killed gateway never does, and the database may be slow. So a
 * queue may live longer than its idle time-out, but never shorter.
 */
export const servedSecondsSql = `q.idle_timeout + CASE WHEN q.idle_timeout < ${longLivedSeconds} THEN ${slack.short} ELSE ${slack.long} END`;

/** Seconds for which the row of an expired queue is kept: a poll in progress may still renew it when it ends. */
export const graceSeconds = 30;

/** Minimum age in seconds before an event is deleted from the log. */
export const minLogSeconds = 600;

/**
 * Seconds by which the position of a live queue may be older than its idle time-out: the client's last event was at
 * most `stalePositionSeconds` old when it polled, a lost answer took up to 55 s, the batch records the poll within 15 s, and the
 * slack is added to its idle time. Doubled, because each step may take longer on a slow machine.
 */
export const maxLagSeconds = 2 * (stalePositionSeconds + 55 + 15 + slack.long);

/** A queue that is more than this many events behind the log's end is deleted. */
export const maxEventsBehind = 100_000;
