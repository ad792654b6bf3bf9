import type { Logger } from "@carillon/kit";
import { keyPrefix, openRedis } from "@carillon/queue";

import type { Hits, HitStore, StoredWindow } from "./hit-store.ts";

/** Commands fail at once while Redis is away: requests do not wait for it. */
const connecting = {
  connectTimeout: 5_000,
  keepAlive: 10_000,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 1_000),
};

/**
 * A window is a hash of slices. Adds the given hits, takes as many as there is room for, and returns that number and
 * the hashes.
 */
const take = `
local room, at, plans = tonumber(ARGV[1]), 2, {}
for i, key in ipairs(KEYS) do
  local floor, limit = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  plans[i] = { key, ARGV[at + 2], ARGV[at + 3] }
  local count = tonumber(ARGV[at + 4])
  at = at + 5
  for _ = 1, count do
    redis.call('HINCRBY', key, ARGV[at], ARGV[at + 1])
    at = at + 2
  end
  local used, all = 0, redis.call('HGETALL', key)
  for j = 1, #all, 2 do
    if tonumber(all[j]) < floor then redis.call('HDEL', key, all[j]) else used = used + tonumber(all[j + 1]) end
  end
  room = math.min(room, limit - used)
end
room = math.max(room, 0)
local answer = { room }
for _, plan in ipairs(plans) do
  if room > 0 then redis.call('HINCRBY', plan[1], plan[2], room) end
  redis.call('PEXPIRE', plan[1], plan[3])
  answer[#answer + 1] = redis.call('HGETALL', plan[1])
end
return answer`;

/** Runs the script on a connection, by its digest once the server knows it. */
type Take = (
  keys: number,
  ...given: Array<string | number>
) => Promise<[taken: number, ...hashes: string[][]]>;

/** Counts in Redis. Its keys hold ids and digests only. */
export function redisHits(redisUrl: string, log: Logger): HitStore {
  const redis = openRedis(redisUrl, connecting);
  const prefix = `${keyPrefix(redis)}:rate:`;
  redis.on("error", (error) =>
    log.debug({ err: error }, "Redis connection of the rate limits failed"),
  );
  redis.defineCommand("carillonTake", { lua: take });
  const ask = async (windows: readonly StoredWindow[], wanted: number) => {
    const command = (redis as unknown as { carillonTake: Take }).carillonTake.bind(redis);
    const keys = windows.map(({ key }) => prefix + key);
    const [taken, ...hashes] = await command(
      keys.length,
      ...keys,
      wanted,
      ...windows.flatMap(({ floor, limit, current, lifetimeMs, hits }) => [
        floor,
        limit,
        current,
        lifetimeMs,
        hits.length,
        ...hits.flat(),
      ]),
    );
    return { taken, hits: hashes.map(pairs) };
  };
  return {
    async now() {
      const [seconds, microseconds] = await redis.time();
      return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    },
    // The queries are pipelined: one round trip for all.
    add: async (windows) =>
      (await Promise.all(windows.map((window) => ask([window], 0)))).flatMap(({ hits }) => hits),
    take: ask,
    async forget(keys) {
      if (keys.length > 0) await redis.del(...keys.map((key) => prefix + key));
    },
    close: async () => redis.disconnect(),
  };
}

function pairs(hash: readonly string[]): Hits {
  return Array.from({ length: hash.length / 2 }, (_, i) => [
    Number(hash[2 * i]),
    Number(hash[2 * i + 1]),
  ]);
}
