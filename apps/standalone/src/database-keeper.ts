import { startEmbeddedPostgres, type EmbeddedPostgres } from "@carillon/embedded";
import type { Logger } from "@carillon/kit";
import { setTimeout as pause } from "node:timers/promises";

/** The database that the standalone uses. */
export interface KeptDatabase {
  /** Its current address: a restarted server may have another port. */
  url(): string;
  stop(): Promise<void>;
}

const retryMs = 2_000;

/** Uses a PostgreSQL that the operator runs. */
export function givenDatabase(url: string): KeptDatabase {
  return { url: () => url, stop: () => Promise.resolve() };
}

/**
 * Starts or adopts the embedded PostgreSQL, and starts it again when it ends unexpectedly.
 * @param onMoved called when it has another address after that
 * @throws StartupError when it does not start the first time
 */
export async function keepDatabase(
  dataDir: string,
  log: Logger,
  onMoved: () => void,
): Promise<KeptDatabase> {
  let server = await startEmbeddedPostgres({ dataDir, log });
  let stopping = false;
  let starting: Promise<void> | undefined;

  const watch = (running: EmbeddedPostgres) => {
    void running.ended.then(() => {
      if (stopping) return;
      log.error({ postgresPid: running.pid }, "PostgreSQL ended; starting it again");
      starting = startAgain();
    });
  };
  const startAgain = async () => {
    const before = server.url;
    while (!stopping) {
      try {
        server = await startEmbeddedPostgres({ dataDir, log });
        watch(server);
        if (server.url !== before) onMoved();
        return;
      } catch (error) {
        log.error({ err: error }, "PostgreSQL does not start");
        await pause(retryMs);
      }
    }
  };

  watch(server);
  return {
    url: () => server.url,
    async stop() {
      stopping = true;
      await starting;
      await server.stop();
    },
  };
}
