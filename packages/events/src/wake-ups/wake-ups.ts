import { eventsLogged } from "../emit.ts";
import { pgNotify } from "./pg-notify.ts";
import { redisPubSub } from "./redis-pub-sub.ts";
import type { WakeUpOptions } from "./transport.ts";

/**
 * Tells processes that an organization's log has grown. A wake-up may get lost: processes also read the log every
 * second.
 */
export interface WakeUps {
  /** Never fails and never waits. Listeners of this process are called synchronously. */
  wake(realmId: number): void;
  /** Resolves when every wake-up has been sent. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Connects this process to the wake-ups, and sends one for each organization whose events it has committed. */
export function connectWakeUps(options: WakeUpOptions): WakeUps {
  const { db, redisUrl, log, onWake, postCommit = db.postCommit } = options;
  const transport = redisUrl === undefined ? pgNotify(options) : redisPubSub(redisUrl, options);
  const waiting = new Set<number>();
  let sending: Promise<void> | undefined;

  /** Sends one message at a time; wake-ups that arrive meanwhile go into the next message. */
  async function send(): Promise<void> {
    while (waiting.size > 0) {
      const realmIds = [...waiting];
      waiting.clear();
      try {
        await transport.send(realmIds);
      } catch (error) {
        log.debug(
          { err: error },
          "sending a wake-up failed; gateways read its events within a second",
        );
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
