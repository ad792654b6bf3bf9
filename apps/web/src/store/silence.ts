import type { Signal } from "@preact/signals";
import type { Connection } from "./connection.ts";

/** Sets the connection to `silent` while a request waits too long for its answer. */
export class Silence {
  readonly #connection: Signal<Connection>;
  readonly #afterMs: number;
  /** Number of requests that wait too long. */
  #late = 0;
  /** The state of the connection before the silence. */
  #before: Connection = "connecting";

  /** @param afterMs milliseconds without an answer after which the server counts as silent */
  constructor(connection: Signal<Connection>, afterMs = 5_000) {
    this.#connection = connection;
    this.#afterMs = afterMs;
  }

  /**
   * Waits for an answer. When the caller aborts the last late request, the connection gets its earlier state back, because no
   * answer would end the silence.
   */
  async watch<T>(answer: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#late++;
      this.#begin();
    }, this.#afterMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      if (isLate) this.#late--;
      if (isLate && this.#late === 0 && isAbortedByCaller(signal)) this.#end();
    }
  }

  #begin(): void {
    const { value } = this.#connection;
    if (value === "silent" || value === "refused") return;
    this.#before = value;
    this.#connection.value = "silent";
  }

  #end(): void {
    if (this.#connection.value === "silent") this.#connection.value = this.#before;
  }
}

/** Whether the caller aborted the request. At a timeout the client aborts the same signal, but the silence lasts. */
function isAbortedByCaller(signal: AbortSignal | null | undefined): boolean {
  const reason: unknown = signal?.reason;
  const isTimeout = reason instanceof DOMException && reason.name === "TimeoutError";
  return signal?.aborted === true && !isTimeout;
}
