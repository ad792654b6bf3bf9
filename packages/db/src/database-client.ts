import { databaseHosts, urlOfHost, wantsWritableServer } from "@carillon/kit";
import pg from "pg";

import { FailoverConnection } from "./failover-connection.ts";
import { choiceOf } from "./server-choice.ts";

/** A property that `pg` has and its types lack. */
declare module "pg" {
  interface ClientBase {
    readonly sslNegotiation: "postgres" | "direct";
  }
}

/** Milliseconds in which a connection must succeed, unless the configuration sets them. */
const defaultConnectMs = 10_000;
/** Part of that time for all servers together; the rest leaves time for the error that names them. */
const serversShare = 0.95;

/** The server function that warns of an unreplicated COMMIT. PostgreSQL translates the text, but not this name. */
const replicationWait = "SyncRepWaitForLSN";

/** A connection to the database of a URL, which may name several servers. */
export class DatabaseClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    const { connectionString: url } = config;
    super(url === undefined ? config : { ...config, connectionString: urlOfHost(url) });
    if (url !== undefined && wantsWritableServer(url)) this.#failOver(url, config);
    this.connection.on("notice", (notice: { routine?: string }) => {
      if (notice.routine === replicationWait) this.#forgetCommit();
    });
  }

  #failOver(url: string, config: pg.ClientConfig): void {
    const connectMs = config.connectionTimeoutMillis || defaultConnectMs;
    const { ssl, sslNegotiation } = this;
    const { keepAlive, keepAliveInitialDelayMillis } = config;
    const connection = new FailoverConnection({
      choice: choiceOf(url),
      perServerMs: (connectMs * serversShare) / databaseHosts(url).length,
      onChosen: ({ host, port }) => Object.assign(this, { host, port }),
      connection: { ssl, sslNegotiation, keepAlive, keepAliveInitialDelayMillis },
    });
    Object.assign(this, { connection });
  }

  /**
   * Closes the connection before it reads the answer to COMMIT. When a COMMIT that waits for a synchronous standby is
   * cancelled, PostgreSQL answers COMMIT with a warning: the commit holds on this server, but a failover may lose it.
   * So its outcome is unknown, as if the connection had broken.
   */
  #forgetCommit(): void {
    const { connection } = this;
    connection.removeAllListeners("commandComplete").removeAllListeners("readyForQuery");
    connection.stream.destroy();
  }
}
