import { listenOn } from "@carillon/db";

import { ringChannel, ringOf, type Transport, type WakeUpOptions } from "./wake-ups.ts";

/** Rings over `pg_notify`, after the commit: in it, they would take a lock of the whole database. */
export function pgNotify({ db, log, onRing, onReconnected }: WakeUpOptions): Transport {
  const listening =
    onRing &&
    listenOn(db.url, ringChannel, {
      onNotification: (payload) => {
        const realmId = ringOf(payload);
        if (realmId !== undefined) onRing(realmId);
      },
      onConnected: () => onReconnected?.(),
      onLost: (error) => log.warn({ err: error }, "wake-ups are not heard; looking every second"),
    });
  return {
    send: async (realmIds) => {
      await db.rows(
        {
          name: "ring",
          text: `SELECT pg_notify('${ringChannel}', id::text) FROM unnest($1::int[]) AS id`,
        },
        [realmIds],
      );
    },
    close: async () => listening?.close(),
  };
}
