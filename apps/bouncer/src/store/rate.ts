import { statement, type Sql } from "@carillon/db";
import { SlidingWindow } from "@carillon/kit";

const windowSeconds = 60;
/** A slice counts until all of it is outside the window. */
const sliceSeconds = 2;
const slices = windowSeconds / sliceSeconds;

const now = `floor(extract(epoch FROM now()) / ${sliceSeconds})::bigint`;

/** The row lock of the slice serializes concurrent calls. */
const count = statement({
  name: "bouncer-rate-count",
  text: `WITH earlier AS (SELECT coalesce(sum(hits), 0) AS hits FROM rate_hit
      WHERE server_id = $1 AND slice >= ${now} - ${slices} AND slice < ${now})
    INSERT INTO rate_hit (server_id, slice, hits)
    SELECT $1, ${now}, 1 FROM earlier WHERE earlier.hits < $2
    ON CONFLICT (server_id, slice) DO UPDATE SET hits = rate_hit.hits + 1
      WHERE rate_hit.hits + (SELECT hits FROM earlier) < $2
    RETURNING hits`,
});

const look = statement({
  name: "bouncer-rate-look",
  text: `SELECT slice, hits, extract(epoch FROM now())::float8 * 1000 AS now FROM rate_hit
    WHERE server_id = $1 AND slice >= ${now} - ${slices}`,
});

const clear = statement({
  name: "bouncer-rate-clear",
  text: `DELETE FROM rate_hit WHERE slice < ${now} - ${2 * slices}`,
});

/**
 * Counts a call of the server, across all bouncer processes.
 * @param limit calls in 60 s
 * @returns 0, or the milliseconds to wait; nothing was counted then
 */
export async function countCall(sql: Sql, serverId: string, limit: number): Promise<number> {
  if ((await sql.rows(count, [serverId, limit])).length > 0) return 0;
  const rows = await sql.rows(look, [serverId]);
  const window = new SlidingWindow({ seconds: windowSeconds, requests: limit });
  window.reset(rows.map(({ slice, hits }) => [slice, hits]));
  return Math.max(1, window.state(rows[0]?.now ?? 0).blockedMs);
}

/** Deletes slices outside the window. */
export async function clearRates(sql: Sql): Promise<void> {
  await sql.rows(clear);
}
