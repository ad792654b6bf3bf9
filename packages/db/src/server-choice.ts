import { databaseHosts, type DatabaseHost } from "@carillon/kit";

/** A connection to one of the servers. */
interface Connection {
  /** Breaks it off. */
  leave(): void;
}

/**
 * Which of a URL's servers this process uses. All its connections use one: when a new connection has reached another
 * server, the others are broken off, because a server that was replaced may still answer, and what it commits is lost.
 */
export class ServerChoice {
  readonly #servers: readonly DatabaseHost[];
  readonly #connections = new Map<Connection, DatabaseHost>();
  #current: DatabaseHost | undefined;

  constructor(servers: readonly DatabaseHost[]) {
    this.#servers = servers;
  }

  /** The servers in the order in which they are tried: the current one, then as in the URL. */
  order(): readonly DatabaseHost[] {
    const current = this.#current;
    if (!current) return this.#servers;
    return [current, ...this.#servers.filter((server) => server !== current)];
  }

  /** Records that a new connection has reached this server, which accepts writes. */
  chosen(server: DatabaseHost, connection: Connection): void {
    this.#connections.set(connection, server);
    if (this.#current === server) return;
    this.#current = server;
    for (const [other, at] of this.#connections) if (at !== server) other.leave();
  }

  /** Records that a connection has ended. */
  closed(connection: Connection): void {
    this.#connections.delete(connection);
  }
}

const choices = new Map<string, ServerChoice>();

/** Returns what this process knows about the servers of a URL. URLs with the same servers share it. */
export function choiceOf(databaseUrl: string): ServerChoice {
  const servers = databaseHosts(databaseUrl);
  const key = servers.map(({ host, port }) => `${host}:${port}`).join();
  let choice = choices.get(key);
  if (!choice) choices.set(key, (choice = new ServerChoice(servers)));
  return choice;
}
