/** Seconds that a queue has at least, if it is to be noted in batches that it is in use: others are noted at once. */
export const longLived = 60;

/** A place in the log that is older than so many seconds is renewed with a heartbeat: the log is cleared behind it. */
export const stalePlace = 60;

/** Seconds after its idle time-out for which a queue is still served, of short-lived ones and of others. */
const slack = { short: 5, long: 60 };

/**
 * The seconds for which the queue `q` is served after its `last_seen`. What is noted there may be older than the last
 * poll: gateways note every 15 s which queues have open polls, one that is killed notes nothing any more, and the
 * database may be slow. A queue may live longer than its time because of that, but never shorter.
 */
export const servedSeconds = `q.idle_timeout + CASE WHEN q.idle_timeout < ${longLived} THEN ${slack.short} ELSE ${slack.long} END`;

/** Seconds after that for which its row is kept: a poll may be under way that says with its end that it lives. */
export const grace = 30;

/** Seconds for which the log is kept at least. */
export const shortestLog = 600;

/**
 * Seconds by which the place of a live queue may be older than its time-out says: what its client has got last was
 * `stalePlace` old at the most when it asked, an answer that got lost took up to 55 s, the batch notes it within 15 s,
 * and then it is idle for its time and the slack. Twice of all that, because each may take longer on a slow machine.
 */
export const longestLag = 2 * (stalePlace + 55 + 15 + slack.long);

/** A queue whose place is more than so many events behind the log's end is given up. */
export const furthestBehind = 100_000;
