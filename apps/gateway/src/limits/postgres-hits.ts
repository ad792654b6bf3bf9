import { lockClass, statement, notNull, type Database, type Sql } from "@carillon/db";
import { loadAfter } from "@carillon/model";

import type { Hits, HitStore, StoredWindow } from "./hit-store.ts";

/** The snapshot of a statement lacks the rows that it inserts: they come from RETURNING. */
const add = statement({
  name: "rate-hits-add",
  text: `WITH given AS (
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::float8[]) AS g (bucket, slice, hits, deadline)
    ), added AS (
      INSERT INTO rate_hits AS r (bucket, slice, hits, expires_at)
      SELECT bucket, slice, hits, now() + make_interval(secs => deadline) FROM given ORDER BY bucket, slice
      ON CONFLICT (bucket, slice) DO UPDATE SET hits = r.hits + excluded.hits
      RETURNING bucket, slice, hits
    )
    SELECT bucket, slice::float8, hits FROM added
    UNION ALL
    SELECT r.bucket, r.slice::float8, r.hits
    FROM unnest($5::text[], $6::bigint[]) AS w (bucket, floor)
      JOIN rate_hits r ON r.bucket = w.bucket AND r.slice >= w.floor
    WHERE NOT EXISTS (SELECT FROM given g WHERE g.bucket = r.bucket AND g.slice = r.slice)`,
  overrides: { bucket: notNull, slice: notNull, hits: notNull },
});

const lock = statement({
  name: "rate-hits-lock",
  text: `SELECT FROM pg_advisory_xact_lock(${lockClass.rateLimit}, hashtext($1))`,
});

const time = statement({
  name: "rate-hits-time",
  text: "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now",
});

const drop = statement({
  name: "rate-hits-drop",
  text: "DELETE FROM rate_hits WHERE bucket = ANY($1::text[])",
});

/** Counts in an unlogged table, so that no request waits for a disk. */
export function postgresHits(db: Database): HitStore {
  return {
    async now() {
      const [row] = await db.rows(time);
      if (!row) throw new Error("the database tells no time");
      return row.now;
    },
    add: (windows) => addHits(db, windows),
    take: (windows, wanted) =>
      db.transaction(async (tx) => {
        const { before } = await loadAfter(
          tx.lock({ name: "rateLimit", fresh: true }, lock, [windows[0]?.key ?? ""]),
          { before: addHits(tx, windows.map(withCurrent)) },
        );
        const rooms = windows.map(({ limit }, i) => limit - sum(before[i] ?? []));
        const taken = Math.max(0, Math.min(wanted, ...rooms));
        if (taken === 0) return { taken, hits: before };
        const more = windows.map((window) => ({
          ...window,
          hits: [[window.current, taken] as const],
        }));
        return { taken, hits: await addHits(tx, more) };
      }),
    async forget(keys) {
      await db.rows(drop, [keys]);
    },
    close: async () => {},
  };
}

async function addHits(sql: Sql, windows: readonly StoredWindow[]): Promise<Hits[]> {
  const given = windows.flatMap(({ key, lifetimeMs, hits }) =>
    hits.map(([slice, count]) => ({ key, slice, count, seconds: lifetimeMs / 1_000 })),
  );
  const rows = await sql.rows(add, [
    given.map(({ key }) => key),
    given.map(({ slice }) => slice),
    given.map(({ count }) => count),
    given.map(({ seconds }) => seconds),
    windows.map(({ key }) => key),
    windows.map(({ floor }) => floor),
  ]);
  const byKey = new Map(windows.map(({ key }) => [key, [] as Array<[number, number]>]));
  for (const { bucket, slice, hits } of rows) if (hits > 0) byKey.get(bucket)?.push([slice, hits]);
  return windows.map(({ key }) => byKey.get(key) ?? []);
}

/**
 * Includes the current slice, even when nothing is added to it, so that the first statement locks all rows in the common
 * order and statements cannot deadlock.
 */
function withCurrent(window: StoredWindow): StoredWindow {
  const { current, hits } = window;
  return hits.some(([slice]) => slice === current)
    ? window
    : { ...window, hits: [...hits, [current, 0]] };
}

function sum(hits: Hits): number {
  return hits.reduce((total, [, count]) => total + count, 0);
}
