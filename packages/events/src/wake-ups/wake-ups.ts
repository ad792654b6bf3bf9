import type { Database, PostCommitBus } from "@carillon/db";
import type { Logger } from "@carillon/kit";

import { eventsLogged } from "../emit.ts";
import { pgNotify } from "./pg-notify.ts";
import { redisPubSub } from "./redis-pub-sub.ts";

/**
 * Says between processes that an organization's log has grown, and nothing else. What it says may get lost: who
 * listens also looks by itself, every second.
 */
export interface WakeUps {
  /** Never fails and never waits. The own process's listeners hear it at once. */
  wake(realmId: number): void;
  /** Resolves when every wake-up has been sent. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** How the wake-ups of one process reach the others. */
export interface Transport {
  /** Wakes the processes up that wait for events of these organizations. May fail. */
  send(realmIds: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

export interface WakeUpOptions {
  readonly db: Database;
  /** Where this process's commits are heard of; the database's own unless given. */
  readonly postCommit?: PostCommitBus | undefined;
  /** Given, they go over Redis; else over `pg_notify`. */
  readonly redisUrl: string | undefined;
  readonly log: Logger;
  /** Hears the wake-ups of every process, the own one included; where nobody listens, none come in. */
  readonly onWake?: (realmId: number) => void;
  /** Wake-ups may have been lost: look at everything. */
  readonly onReconnected?: () => void;
}

/** Connects this process to the wake-ups of all, and sends one for each organization whose events it has committed. */
export function connectWakeUps(options: WakeUpOptions): WakeUps {
  const { db, redisUrl, log, onWake, postCommit = db.postCommit } = options;
  const transport = redisUrl === undefined ? pgNotify(options) : redisPubSub(redisUrl, options);
  const waiting = new Set<number>();
  let sending: Promise<void> | undefined;

  /** One message under way at a time; what comes meanwhile goes out together. */
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

  function wake(realmId: number): void {
    onWake?.(realmId);
    waiting.add(realmId);
    sending ??= send();
  }

  const unsubscribe = postCommit.subscribe(eventsLogged, wake);
  return {
    wake,
    idle: async () => sending,
    async close() {
      unsubscribe();
      await sending;
      await transport.close();
    },
  };
}
