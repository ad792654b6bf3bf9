import { errors } from "@carillon/contract";
import type { Context } from "koa";
import { fileSemaphore } from "./account-semaphore.ts";
import { admitBody, type Sender } from "./arriving-body.ts";
import { readChunks, type TakeChunk } from "./streamed-body.ts";

/** Maximum milliseconds for the bytes of a file to arrive. */
const longestMs = 3_600_000;

/** Time limits of a request with the bytes of a file. */
export interface StreamTimes {
  /** Maximum milliseconds without a new byte. */
  readonly idleMs: number;
  /** Milliseconds that the request has after its last byte. */
  readonly deadlineMs: number;
}

/** A request whose body is read as a stream and written to the file store. */
export class StreamedRequest {
  /** After `X-HTTP-Method-Override`. */
  readonly method: string;
  readonly #ctx: Context;
  readonly #sender: Omit<Sender, "idleMs">;
  readonly #times: StreamTimes;

  constructor(ctx: Context, method: string, sender: Omit<Sender, "idleMs">, times: StreamTimes) {
    this.method = method;
    this.#ctx = ctx;
    this.#sender = sender;
    this.#times = times;
  }

  /** Returns a header; undefined if the request does not have it. */
  header(name: string): string | undefined {
    const value = this.#ctx.req.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /**
   * Waits for a permit and reads the body to its end. Of a body that breaks off or stalls, `take` gets every byte that has
   * arrived.
   * @throws ApiError 400 for a body that breaks off, 408 for one that stalls; the deadline's reason; what `take` throws
   */
  async readBody(take: TakeChunk): Promise<void> {
    let isRefused = false;
    const takeUnlessRefused: TakeChunk = (chunk) => {
      try {
        return take(chunk);
      } catch (error) {
        isRefused = true;
        throw error;
      }
    };
    try {
      await this.whileBytesFlow(async () => {
        const sender = { ...this.#sender, idleMs: this.#times.idleMs };
        await admitBody(this.#ctx, sender, fileSemaphore, 0);
        // A deadline that has already ended would not interrupt the wait for the next bytes.
        this.#sender.deadline.check();
        await readChunks(this.#ctx, this.#sender.deadline, takeUnlessRefused);
      });
    } catch (error) {
      if (!isRefused) this.#takeArrived(take);
      throw error;
    }
  }

  /** Takes the bytes that wait in the request's buffer, at most 64 KiB, which Node.js keeps after a hang-up. */
  #takeArrived(take: TakeChunk): void {
    const { req } = this.#ctx;
    if (req.headers["content-encoding"] !== undefined) return;
    for (let chunk; (chunk = req.read() as Buffer | null) !== null;)
      take(chunk)?.catch(() => undefined);
  }

  /** Runs `work` with a deadline of an hour. Afterwards the rest of the request has the usual deadline. */
  async whileBytesFlow<T>(work: () => Promise<T>): Promise<T> {
    const { deadline } = this.#sender;
    deadline.limit(longestMs, () => errors.unavailable());
    try {
      return await work();
    } finally {
      deadline.limit(this.#times.deadlineMs, () => errors.unavailable());
    }
  }
}
