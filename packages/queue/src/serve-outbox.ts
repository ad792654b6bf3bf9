import type { Outbox } from "@carillon/db";
import { connectWakeUps, type WakeUpOptions } from "@carillon/events";

import { createAlarmPublisher } from "./alarm-publisher.ts";
import { createIntentPublisher } from "./intent-publisher.ts";
import type { Queues } from "./queues.ts";

export interface OutboxOptions extends WakeUpOptions {
  /** The database's own unless given. */
  readonly outbox?: Outbox;
  /** Without them alarms and intents are left to the relay. */
  readonly queues: Queues | undefined;
}

/** What a process does after its commits. */
export interface ServedOutbox {
  /** What did not reach the queue right after its commit, by kind; the relay adds it. */
  missed(): { readonly alarms: number; readonly intents: number };
  /** Listens no more, and resolves when what was heard before is done. */
  close(): Promise<void>;
}

/**
 * Does what is to be done after the commits of this process's transactions, whichever process it is: alarms and intents
 * go into the queue, and gateways are woken up where an organization's log has grown.
 */
export function serveOutbox(options: OutboxOptions): ServedOutbox {
  const { db, queues, log, outbox = db.outbox } = options;
  const wakeUps = connectWakeUps(options);
  const alarms = queues && createAlarmPublisher({ queues, db, log });
  const intents = queues && createIntentPublisher({ queues, db, log });
  const listening = [
    outbox.on("events", (realmId) => wakeUps.wake(realmId)),
    outbox.on("alarm", (alarm) => alarms?.set(alarm)),
    outbox.on("intents", (recorded) => intents?.add(recorded)),
  ];
  return {
    missed: () => ({ alarms: alarms?.missed ?? 0, intents: intents?.missed ?? 0 }),
    async close() {
      for (const forget of listening) forget();
      await Promise.all([wakeUps.close(), alarms?.idle(), intents?.idle()]);
    },
  };
}
