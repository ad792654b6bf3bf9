import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";

import { openRedis } from "./open-redis.ts";

/** A server that speaks Redis's protocol. */
interface Script {
  readonly port: number;
  readonly sockets: ReadonlySet<Socket>;
  close(): void;
}

/** @param answer returns the raw reply to a command; undefined: none */
async function serve(
  answer: (words: string[], socket: Socket) => string | undefined,
): Promise<Script> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
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
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const array = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`;

describe("openRedis with Sentinels", () => {
  it("survives an announcement of a new master while it reconnects", async () => {
    const about = "redis_version:7.0.0\r\nrole:master\r\nloading:0\r\n";
    const master = await serve(([name = ""]) =>
      /info/i.test(name)
        ? `$${about.length}\r\n${about}\r\n`
        : /ping/i.test(name)
          ? "+PONG\r\n"
          : "+OK\r\n",
    );
    const listening = new Set<Socket>();
    const held: Array<() => void> = [];
    let holds = false;
    const sentinel = await serve(([name = "", verb = ""], socket) => {
      if (/subscribe/i.test(name)) {
        listening.add(socket);
        socket.on("close", () => listening.delete(socket));
        return `*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n`;
      }
      if (!/sentinel/i.test(name)) return "+OK\r\n";
      if (!/get-master/i.test(verb)) return "*0\r\n";
      const address = array("127.0.0.1", String(master.port));
      if (!holds) return address;
      held.push(() => socket.write(address));
      return undefined;
    });
    const client = openRedis(`redis+sentinel://127.0.0.1:${sentinel.port}/main`, {
      lazyConnect: true,
      maxRetriesPerRequest: null,
      retryStrategy: () => 20,
    });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await waitFor(() => listening.size > 0, { what: "the client listens to the Sentinel" });
      holds = true;
      for (const socket of master.sockets) socket.destroy();
      await waitFor(() => held.length > 0, { what: "the client asks for the master" });
      for (const socket of listening) socket.write(array("message", "+switch-master", "main"));
      await waitFor(() => listening.size === 0, { what: "the client no longer listens" });
      holds = false;
      for (const release of held) release();
      expect(await client.ping()).to.equal("PONG");
    } finally {
      client.disconnect();
      sentinel.close();
      master.close();
    }
  });
});
