import type { Readable } from "node:stream";
import type { Cancellation } from "@carillon/kit";

/**
 * Reads a body chunk by chunk, without destroying it, until it ends or fails or a signal is aborted. As a
 * {@link Cancellation}, it also ends other waits that are pointless once the body cannot be read to its end.
 *
 * `for await` would destroy the body on every failure, and with it the connection of a request, which must still carry the
 * answer.
 */
export class BodyReader implements Cancellation {
  readonly #body: Readable;
  readonly #signal: AbortSignal | undefined;
  readonly #listeners = new Set<() => void>();
  #wake: (() => void) | undefined;
  #reason: Error | undefined;
  #ended = false;
  #returned: Buffer | undefined;

  constructor(body: Readable, signal?: AbortSignal) {
    this.#body = body;
    this.#signal = signal;
    body.on("readable", this.#onReadable);
    body.on("end", this.#onEnd);
    body.on("error", this.#fail);
    body.on("close", this.#onClose);
    signal?.addEventListener("abort", this.#onAbort);
    if (signal?.aborted) this.#onAbort();
    else if (body.errored) this.#fail(body.errored);
    else if (body.readableEnded) this.#ended = true;
    else if (body.destroyed) this.#onClose();
  }

  /** The error that keeps the body from being read to its end; undefined if there is none yet. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns the next chunk, undefined at the end.
   * @throws the error of the body, or the reason of the signal
   */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#reason) throw this.#reason;
      const chunk = this.#take();
      if (chunk) return chunk;
      if (this.#ended) return undefined;
      await this.#change();
    }
  }

  /**
   * Waits for the next chunk without reading it. Returns false at the end.
   * @throws the error of the body, or the reason of the signal
   */
  async hasMore(): Promise<boolean> {
    for (;;) {
      if (this.#reason) throw this.#reason;
      if (this.#returned || this.#body.readableLength > 0) return true;
      // At the end of the body, Node emits `end` only after a read.
      this.#returned = this.#take();
      if (this.#returned) return true;
      if (this.#ended) return false;
      await this.#change();
    }
  }

  /** Puts back the unused rest of a chunk; {@link next} returns it. */
  giveBack(rest: Buffer): void {
    this.#returned = rest;
  }

  /** Stops listening. The rest of the body stays unread. */
  release(): void {
    const body = this.#body;
    body.off("readable", this.#onReadable);
    body.off("end", this.#onEnd);
    // Without a listener, a later error of the body would end the process.
    body.on("error", ignore);
    body.off("error", this.#fail);
    body.off("close", this.#onClose);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onReadable = () => this.#wakeUp();

  readonly #onEnd = () => {
    this.#ended = true;
    this.#wakeUp();
  };

  readonly #onClose = () => {
    if (!this.#ended) this.#fail(new Error("the body was closed before its end"));
  };

  readonly #onAbort = () => this.#stop(reasonOf(this.#signal));

  readonly #fail = (error: Error) => {
    if (!this.#ended) this.#stop(error);
  };

  #stop(error: Error): void {
    if (this.#reason) return;
    this.#reason = error;
    this.#wakeUp();
    for (const listener of this.#listeners) listener();
  }

  #take(): Buffer | undefined {
    const returned = this.#returned;
    if (returned) {
      this.#returned = undefined;
      return returned;
    }
    const chunk = this.#body.read() as Buffer | string | null;
    return typeof chunk === "string" ? Buffer.from(chunk) : (chunk ?? undefined);
  }

  async #change(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

const ignore = () => {};

/** Returns the reason of an aborted signal as an error. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error("aborted", { cause: reason });
}
