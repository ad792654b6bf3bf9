import pg from "pg";

import { DatabaseClient } from "./database-client.ts";

/** Pause between two attempts to reconnect, in milliseconds. */
const pauseMs = 1_000;

export interface Listening {
  close(): Promise<void>;
}

/**
 * Listens to the notifications of a channel over a connection of its own, and reconnects whenever it breaks.
 * Notifications sent meanwhile are lost: `onConnected` says when to read the state again.
 * @param handlers `onLost` receives the error, once for each loss
 */
export function listenOn(
  databaseUrl: string,
  channel: string,
  handlers: {
    onNotification: (payload: string) => void;
    onConnected: () => void;
    onLost: (error: unknown) => void;
  },
): Listening {
  let closed = false;
  let client: DatabaseClient | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const own = new DatabaseClient({
      connectionString: databaseUrl,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      // Detects a connection that a firewall has dropped; the operating system would wait two hours.
      keepAliveInitialDelayMillis: 10_000,
      application_name: "carillon listener",
    });
    client = own;
    let lost = false;
    const reconnect = (why: unknown) => {
      if (lost || closed) return;
      lost = true;
      void own.end().catch(() => {});
      handlers.onLost(why);
      timer = setTimeout(() => void connect(), pauseMs);
    };
    own.on("error", reconnect);
    own.on("end", () => reconnect(new Error("the connection ended")));
    own.on("notification", ({ payload }) => handlers.onNotification(payload ?? ""));
    try {
      await own.connect();
      await own.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      if (!closed) handlers.onConnected();
    } catch (error) {
      reconnect(error);
    }
  }

  const first = connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await first;
      await client?.end().catch(() => {});
    },
  };
}
