import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

import pg from "pg";

/** First words of what is sent in place of a start-up message (PostgreSQL, "Message Formats"). */
const cancelRequest = 80_877_102;
const sslRequest = 80_877_103;

/** A connection of our pool: its statement can be cancelled, and itself cut off. */
export class PoolClient extends pg.Client {
  declare readonly processID: number | null;
  declare readonly secretKey: number | null;
  #gathering = false;

  /**
   * What is sent from here on until the promises that are ready have had their turn goes out in one write: a BEGIN with
   * what comes first, the last statements with their COMMIT. A write is a call of the system: they are a third of the
   * processor time of a gateway under load.
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
   * Asks the server to cancel what runs on this connection, by a connection of its own that needs no place among the
   * server's. Resolves when the server has passed the request on, so that it cannot hit what is sent afterwards.
   * @throws Error when that takes more than `ms` milliseconds, or the server is not reached: it may hit later then
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

  /** Ends the connection at once, whatever is under way on it: all of that fails. */
  cutOff(): void {
    this.connection.stream.destroy();
  }
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeInt32BE(value, i * 4);
  return bytes;
}
