import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";

import { openRedis } from "./open-redis.ts";

/** A server that speaks Redis's protocol. */
interface Script {
  readonly port: number;
  readonly sockets: ReadonlySet<Socket>;
  /** Number of connections so far. */
  readonly accepted: number;
  close(): void;
}

/** @param answer returns the raw reply to a command; undefined: none */
async function serve(
  answer: (words: string[], socket: Socket) => string | undefined,
): Promise<Script> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (data) => {
      for (const command of data
        .toString()
        .split(/^\*\d+\r\n/m)
        .slice(1)) {
        const words = command.split("\r\n").filter((line) => line !== "" && !/^\$\d+$/.test(line));
        const reply = answer(words, socket);
        if (reply !== undefined) socket.write(reply);
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    get accepted() {
      return accepted;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const array = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`;

const announcement = (master: string) =>
  array("message", "+switch-master", `${master} 127.0.0.1 7001 127.0.0.1 7002`);

/** A master, a Sentinel that watches it under the name `main`, and a client that is connected. */
async function watched() {
  const about = "redis_version:7.0.0\r\nrole:master\r\nloading:0\r\n";
  const master = await serve(([name = ""]) =>
    /info/i.test(name)
      ? `$${about.length}\r\n${about}\r\n`
      : /ping/i.test(name)
        ? "+PONG\r\n"
        : "+OK\r\n",
  );
  /** Connections that wait for announcements. */
  const listening = new Set<Socket>();
  /** Answers that are held back while `holds` is true. */
  const held: Array<() => void> = [];
  const state = { holds: false };
  const sentinel = await serve(([name = "", verb = ""], socket) => {
    if (/subscribe/i.test(name)) {
      listening.add(socket);
      socket.on("close", () => listening.delete(socket));
      return `*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n`;
    }
    if (!/sentinel/i.test(name)) return "+OK\r\n";
    if (!/get-master/i.test(verb)) return "*0\r\n";
    const address = array("127.0.0.1", String(master.port));
    if (!state.holds) return address;
    held.push(() => socket.write(address));
    return undefined;
  });
  const client = openRedis(`redis+sentinel://127.0.0.1:${sentinel.port}/main`, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    retryStrategy: () => 20,
  });
  client.on("error", () => undefined);
  await client.connect();
  await waitFor(() => listening.size > 0, { what: "the client listens to the Sentinel" });
  const close = () => {
    client.disconnect();
    sentinel.close();
    master.close();
  };
  return { master, listening, held, state, client, close };
}

describe("openRedis with Sentinels", () => {
  it("survives an announcement of a new master while it reconnects", async () => {
    const { master, listening, held, state, client, close } = await watched();
    try {
      state.holds = true;
      for (const socket of master.sockets) socket.destroy();
      await waitFor(() => held.length > 0, { what: "the client asks for the master" });
      for (const socket of listening) socket.write(announcement("main"));
      await waitFor(() => listening.size === 0, { what: "the client no longer listens" });
      state.holds = false;
      for (const release of held) release();
      expect(await client.ping()).to.equal("PONG");
    } finally {
      close();
    }
  });

  it("stays connected when another master of the Sentinels is replaced", async () => {
    const { master, listening, client, close } = await watched();
    try {
      for (const socket of listening) socket.end(announcement("main-of-others"));
      // The client closes its side when it has read the announcement.
      await waitFor(() => listening.size === 0, { what: "the client has read it" });
      expect(await client.ping()).to.equal("PONG");
      expect(master.accepted).to.equal(1);
    } finally {
      close();
    }
  });

  it("reconnects when its master is replaced", async () => {
    const { master, listening, client, close } = await watched();
    try {
      for (const socket of listening) socket.write(announcement("main"));
      await waitFor(() => master.accepted === 2, { what: "the client reconnects" });
      expect(await client.ping()).to.equal("PONG");
    } finally {
      close();
    }
  });
});
