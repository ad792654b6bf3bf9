import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

import type pg from "pg";

import { DatabaseClient } from "./database-client.ts";

/** Codes of messages that are sent instead of a start-up message (PostgreSQL, "Message Formats"). */
const cancelRequest = 80_877_102;
const sslRequest = 80_877_103;

/** A connection of the pool whose statement can be cancelled, and which can be cut off. */
export class PoolClient extends DatabaseClient {
  declare readonly processID: number | null;
  declare readonly secretKey: number | null;
  #gathering = false;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    this.once("connect", () => paceReads(this.connection.stream));
  }

  /**
   * Sends everything until the end of the microtask queue in one write: BEGIN with the first statement, the last
   * statements with COMMIT. Writes are system calls, and a third of the processor time of a gateway under load.
   */
  gatherWrites(): void {
    if (this.#gathering) return;
    const { stream } = this.connection;
    this.#gathering = true;
    stream.cork();
    process.nextTick(() => {
      this.#gathering = false;
      stream.uncork();
    });
  }

  /**
   * Asks the server to cancel what runs on this connection, over a connection that does not count against
   * `max_connections`. Resolves when the server has signalled the backend, so that no later statement can be hit.
   * @throws Error when that takes more than `ms` milliseconds, or the server is not reached: the cancel may come later
   */
  async cancelRunning(ms: number): Promise<void> {
    const socket = this.host.startsWith("/")
      ? connect(`${this.host}/.s.PGSQL.${this.port}`)
      : connect(this.port, this.host);
    const signal = AbortSignal.timeout(ms);
    const giveUp = () => socket.destroy(new Error("the server does not take the cancel request"));
    signal.addEventListener("abort", giveUp);
    socket.on("error", () => {});
    try {
      await once(socket, "connect");
      const secured = this.ssl ? await this.#secured(socket) : socket;
      const closed = once(secured, "close");
      secured.resume().write(words(16, cancelRequest, this.processID ?? 0, this.secretKey ?? 0));
      await closed;
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener("abort", giveUp);
      socket.destroy();
    }
  }

  async #secured(socket: Socket): Promise<Socket> {
    socket.write(words(8, sslRequest));
    await once(socket, "data");
    const options: ConnectionOptions = typeof this.ssl === "object" ? this.ssl : {};
    const secured = connectTls({
      ...options,
      socket,
      host: this.host,
      ...(isIP(this.host) === 0 ? { servername: this.host } : {}),
    });
    await once(secured, "secureConnect");
    return secured;
  }

  /** Closes the connection at once; everything in progress on it fails. */
  cutOff(): void {
    this.connection.stream.destroy();
  }
}

/** Bytes of an answer that are parsed at once: one to two milliseconds. */
const bytesBeforeYield = 256 * 1024;

/**
 * Lets other work run while a large answer arrives. Node reads up to 2 MiB in one iteration of the event loop, and parsing
 * them takes 15 ms: a registration of 35 MB delayed other requests by 118 ms, and by 53 ms with this (bench
 * `worst-request`).
 */
function paceReads(stream: Readable): void {
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes < bytesBeforeYield) return;
    bytes = 0;
    stream.pause();
    setImmediate(() => stream.resume());
  });
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeInt32BE(value, i * 4);
  return bytes;
}
