import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A proxy to a server that a test can break. */
export interface FaultProxy {
  /** The server's address with the proxy's host and port in it. */
  readonly url: string;
  readonly port: number;
  /** Number of open connections. */
  readonly connections: number;
  /** Number of connections accepted since it started. */
  readonly accepted: number;
  /** Drops all connections; new ones work. */
  drop(): void;
  /** Forwards nothing in either direction while connections stay open, new ones too: a silent network failure. */
  freeze(): void;
  /** Drops all connections and stops listening: new ones are refused. */
  refuse(): Promise<void>;
  /** Works again on the same port, and forwards data that was sent while frozen. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a TCP proxy in front of the server at `target`.
 * @param target a URL with host and port, such as a database's or Redis's
 */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const there = new URL(target);
  const port = Number(there.port) || defaultPorts[there.protocol] || 80;
  const pairs = new Set<readonly [Socket, Socket]>();
  let frozen = false;
  let accepted = 0;

  const server = createServer((inward) => {
    accepted++;
    const outward = connect(port, there.hostname.replaceAll(/[[\]]/g, ""));
    const pair = [inward, outward] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [outward, inward] as const]) {
      from.on("data", (chunk) => to.write(chunk));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        pairs.delete(pair);
        // A frozen socket would not notice that the other end closes.
        to.destroySoon();
      });
      if (frozen) from.pause();
    }
  });
  await listen(server, 0);
  const own = (server.address() as AddressInfo).port;
  const url = new URL(target);
  url.host = `127.0.0.1:${own}`;

  const drop = () => {
    for (const sockets of pairs) for (const socket of sockets) socket.destroy();
    pairs.clear();
  };
  const refuse = async () => {
    const closed = server.listening ? once(server, "close") : undefined;
    server.close();
    drop();
    await closed;
  };
  return {
    url: url.href,
    port: own,
    get connections() {
      return pairs.size;
    },
    get accepted() {
      return accepted;
    },
    drop,
    refuse,
    freeze() {
      frozen = true;
      for (const sockets of pairs) for (const socket of sockets) socket.pause();
    },
    async heal() {
      frozen = false;
      for (const sockets of pairs) for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(server, own);
    },
    close: refuse,
  };
}

const defaultPorts: Readonly<Record<string, number>> = {
  "postgres:": 5432,
  "postgresql:": 5432,
  "redis:": 6379,
};

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}
