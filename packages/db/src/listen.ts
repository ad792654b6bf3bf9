import pg from "pg";

/** Between two attempts to connect again, in milliseconds. */
const pauseMs = 1_000;

export interface Listening {
  close(): Promise<void>;
}

/**
 * Hears what `pg_notify` sends on a channel, over a connection of its own, which is made again whenever it breaks.
 * What is sent meanwhile is lost: `onConnected` says when to look by oneself.
 * @param handlers `onLost` is told why, once for each time
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
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const own = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      // How a connection is noticed that a firewall has dropped: the system waits two hours.
      keepAliveInitialDelayMillis: 10_000,
      application_name: "carillon listener",
    });
    client = own;
    let lost = false;
    const again = (why: unknown) => {
      if (lost || closed) return;
      lost = true;
      void own.end().catch(() => {});
      handlers.onLost(why);
      timer = setTimeout(() => void connect(), pauseMs);
    };
    own.on("error", again);
    own.on("end", () => again(new Error("the connection ended")));
    own.on("notification", ({ payload }) => handlers.onNotification(payload ?? ""));
    try {
      await own.connect();
      await own.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      if (!closed) handlers.onConnected();
    } catch (error) {
      again(error);
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
