import type { Database } from "@carillon/db";
import type { Logger } from "@carillon/kit";

import { pgNotify } from "./pg-notify.ts";
import { redisPubSub } from "./redis-pub-sub.ts";

/**
 * Says between processes that an organization's log has grown, and nothing else. What it says may get lost: who
 * listens also looks by itself, every second.
 */
export interface WakeUps {
  /** Never fails and never waits. The own process's listeners hear it at once. */
  ring(realmId: number): void;
  /** Resolves when what was rung has been sent. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** How one process's rings reach the others. */
export interface Transport {
  /** Sends the rings of these organizations. May fail. */
  send(realmIds: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

export interface WakeUpOptions {
  readonly db: Database;
  /** Given, the rings go over Redis; else over `pg_notify`. */
  readonly redisUrl: string | undefined;
  readonly log: Logger;
  /** Hears the rings of every process, the own one included; where nobody listens, none come in. */
  readonly onRing?: (realmId: number) => void;
  /** Rings may have been lost: look at everything. */
  readonly onReconnected?: () => void;
}

/** Wake-ups between this process and the others. */
export function connectWakeUps(options: WakeUpOptions): WakeUps {
  const { redisUrl, log, onRing } = options;
  const transport = redisUrl === undefined ? pgNotify(options) : redisPubSub(redisUrl, options);
  const waiting = new Set<number>();
  let sending: Promise<void> | undefined;

  /** One message under way at a time; what is rung meanwhile goes out together. */
  async function send(): Promise<void> {
    while (waiting.size > 0) {
      const realmIds = [...waiting];
      waiting.clear();
      try {
        await transport.send(realmIds);
      } catch (error) {
        log.debug({ err: error }, "a wake-up was lost; its events come with the next look");
      }
    }
    sending = undefined;
  }

  return {
    ring(realmId) {
      onRing?.(realmId);
      waiting.add(realmId);
      sending ??= send();
    },
    idle: async () => sending,
    async close() {
      await sending;
      await transport.close();
    },
  };
}

/** The channel on which processes ring; an organization's id is the message. */
export const ringChannel = "carillon_events";

/** The organization that a message names; undefined where it is none. */
export function ringOf(message: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(message) ? Number(message) : undefined;
}
