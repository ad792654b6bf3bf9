import { Redis, type RedisOptions } from "ioredis";

import { realmOf, wakeUpChannel } from "./channel.ts";
import type { Transport, WakeUpOptions } from "./wake-ups.ts";

/** What does not go out at once is lost, and looked for every second. */
const connecting: RedisOptions = {
  connectTimeout: 5_000,
  keepAlive: 10_000,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
};

/** Wake-ups over Redis. Its pub/sub knows no databases: the wake-up of another installation on it costs a look. */
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

  function connect(onReady: () => void): Redis {
    const client = new Redis(redisUrl, { ...connecting, autoResubscribe: false });
    client.on("error", (error) => log.debug({ err: error }, "the Redis of the wake-ups"));
    client.on("ready", onReady);
    return client;
  }

  async function subscribe(): Promise<void> {
    try {
      await subscriber?.subscribe(wakeUpChannel);
      onReconnected?.();
    } catch (error) {
      log.warn({ err: error }, "wake-ups are not heard; looking every second");
    }
  }

  return {
    send: async (realmIds) => {
      await Promise.all(
        realmIds.map((realmId) => publisher.publish(wakeUpChannel, String(realmId))),
      );
    },
    close: async () => {
      publisher.disconnect();
      subscriber?.disconnect();
    },
  };
}
