import { databaseHosts, type DatabaseHost } from "@carillon/kit";

import { isOutdated, type History } from "./history.ts";

/** A connection to one of the servers. */
interface Connection {
  /** Closes the connection, so that its statement fails. */
  leave(): void;
}

/**
 * The one of a URL's servers that all connections of this process use. When a new connection reaches a different
 * server, closes the connections to other servers: a server that was replaced may still answer, but its commits will be
 * lost.
 */
export class ServerChoice {
  readonly #servers: readonly DatabaseHost[];
  readonly #connections = new Map<Connection, DatabaseHost>();
  #current: DatabaseHost | undefined;
  /** The history of the server that was reached last, where servers tell theirs. */
  #latest: History | undefined;

  constructor(servers: readonly DatabaseHost[]) {
    this.#servers = servers;
  }

  /** Returns the servers in the order in which to try them: the current one first, then the others as in the URL. */
  order(): readonly DatabaseHost[] {
    const current = this.#current;
    if (!current) return this.#servers;
    return [current, ...this.#servers.filter((server) => server !== current)];
  }

  /** Whether a connection may reach different servers. */
  get hasSeveral(): boolean {
    return this.#servers.length > 1;
  }

  /** Returns why a server that accepts writes must not be used: another one was promoted after it, and has been used. */
  refusal(history: History): string | undefined {
    const latest = this.#latest;
    if (!latest || !isOutdated(history, latest)) return undefined;
    return `is on timeline ${history.timeline}, older than ${latest.timeline}`;
  }

  /** Records that a new connection has reached this server, which accepts writes. */
  chosen(server: DatabaseHost, connection: Connection, history: History | undefined): void {
    this.#connections.set(connection, server);
    this.#latest = history ?? this.#latest;
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

/** Returns the server choice for a URL. URLs with the same servers share it. */
export function choiceOf(databaseUrl: string): ServerChoice {
  const servers = databaseHosts(databaseUrl);
  const key = servers.map(({ host, port }) => `${host}:${port}`).join();
  let choice = choices.get(key);
  if (!choice) choices.set(key, (choice = new ServerChoice(servers)));
  return choice;
}
