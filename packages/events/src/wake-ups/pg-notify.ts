import { listenOn, statement } from "@carillon/db";

import { realmOf, wakeUpChannel } from "./channel.ts";
import type { Transport, WakeUpOptions } from "./transport.ts";

const notify = statement({
  name: "wake-up",
  text: `SELECT pg_notify('${wakeUpChannel}', id::text) FROM unnest($1::int[]) AS id`,
});

/** Sends wake-ups with `pg_notify`, after the commit: within the transaction it would take a database-wide lock. */
export function pgNotify({ db, log, onWake, onReconnected }: WakeUpOptions): Transport {
  const listening =
    onWake &&
    listenOn(db.directUrl, wakeUpChannel, {
      onNotification: (payload) => {
        const realmId = realmOf(payload);
        if (realmId !== undefined) onWake(realmId);
      },
      onConnected: () => onReconnected?.(),
      onLost: (error) =>
        log.warn({ err: error }, "wake-up connection lost; reading the log every second"),
    });
  return {
    send: async (realmIds) => {
      await db.rows(notify, [realmIds]);
    },
    close: async () => listening?.close(),
  };
}
