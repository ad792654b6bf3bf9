import { openRedis, type RedisClient } from "@carillon/queue";

import { realmOf, wakeUpChannel } from "./channel.ts";
import type { Transport, WakeUpOptions } from "./transport.ts";

/** A wake-up that cannot be sent at once is dropped: gateways read the log every second anyway. */
const connectionOptions = {
  connectTimeout: 5_000,
  keepAlive: 10_000,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 1_000),
};

/** Milliseconds until a failed subscription is tried again. */
const subscribeAgainMs = 5_000;

/**
 * Sends wake-ups over Redis pub/sub. All databases of a Redis server share its channels, so a wake-up may come from another
 * installation: it causes one needless read of the log.
 */
export function redisPubSub(
  redisUrl: string,
  { log, onWake, onReconnected }: WakeUpOptions,
): Transport {
  const publisher = connect(() => {});
  const subscriber = onWake && connect(() => void subscribe());
  subscriber?.on("message", (_channel: string, message: string) => {
    const realmId = realmOf(message);
    if (realmId !== undefined) onWake?.(realmId);
  });

  function connect(onReady: () => void): RedisClient {
    const client = openRedis(redisUrl, { ...connectionOptions, autoResubscribe: false });
    client.on("error", (error) => log.debug({ err: error }, "Redis connection of wake-ups failed"));
    client.on("ready", onReady);
    return client;
  }

  let again: NodeJS.Timeout | undefined;
  async function subscribe(): Promise<void> {
    clearTimeout(again);
    try {
      await subscriber?.subscribe(wakeUpChannel);
      onReconnected?.();
    } catch (error) {
      log.warn({ err: error }, "subscribing to wake-ups failed; reading the log every second");
      // A client of a Cluster stays ready while the node of its subscription is down, so no `ready` event follows.
      if (subscriber?.status === "ready")
        again = setTimeout(() => void subscribe(), subscribeAgainMs);
    }
  }

  return {
    send: async (realmIds) => {
      await Promise.all(
        realmIds.map((realmId) => publisher.publish(wakeUpChannel, String(realmId))),
      );
    },
    close: async () => {
      clearTimeout(again);
      publisher.disconnect();
      subscriber?.disconnect();
    },
  };
}
