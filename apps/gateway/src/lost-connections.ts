import type { Database } from "@carillon/db";

/** Number of connections of one pool that broke while no statement used them. */
interface LostConnections {
  readonly count: number;
}

const byPool = new WeakMap<Database["pool"], LostConnections>();

/**
 * Returns the counter of the database's pool. Everything that uses the pool shares one counter, because Node.js warns about
 * more than ten listeners of an event.
 */
export function lostConnections({ pool }: Pick<Database, "pool">): LostConnections {
  const known = byPool.get(pool);
  if (known) return known;
  const lost = { count: 0 };
  pool.on("error", () => lost.count++);
  byPool.set(pool, lost);
  return lost;
}
