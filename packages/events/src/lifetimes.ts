/** Queues with an idle time-out of at least this many seconds are marked as used in batches; others at once. */
export const longLived = 60;

/**
 * A place in the log older than this many seconds is moved on with a heartbeat, because the log behind it is cleared.
 */
export const stalePlace = 60;

/** Seconds that a queue is served beyond its idle time-out: below `longLived`, and from it on. */
const slack = { short: 5, long: 60 };

/**
 * SQL: the seconds for which queue `q` is served after its `last_seen`, which may be older than the last poll:
 * gateways update it every 15 s while polls are open, a killed gateway never does, and the database may be slow. So a
 * queue may live longer than its idle time-out, but never shorter.
 */
export const servedSeconds = `q.idle_timeout + CASE WHEN q.idle_timeout < ${longLived} THEN ${slack.short} ELSE ${slack.long} END`;

/** Seconds for which the row of an expired queue is kept: a poll in progress may still renew it when it ends. */
export const grace = 30;

/** Minimum age in seconds before an event is deleted from the log. */
export const shortestLog = 600;

/**
 * Seconds by which the place of a live queue may be older than its idle time-out: the client's last event was at most
 * `stalePlace` old when it polled, a lost answer took up to 55 s, the batch records the poll within 15 s, and the
 * slack is added to its idle time. Doubled, because each step may take longer on a slow machine.
 */
export const longestLag = 2 * (stalePlace + 55 + 15 + slack.long);

/** A queue that is more than this many events behind the log's end is deleted. */
export const furthestBehind = 100_000;
