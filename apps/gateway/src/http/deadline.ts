import { errors } from "@carillon/contract";

/**
 * Runs `work`, and refuses with 503 when it takes longer than `ms`. The signal then tells the work to stop;
 * what it still returns or throws is dropped. The controller is made only when somebody asks for the signal.
 */
export class Deadline {
  #controller: AbortController | undefined;
  #over: unknown;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#over !== undefined) this.#controller.abort(this.#over);
    }
    return this.#controller.signal;
  }

  /** Fires the signal. */
  end(reason: unknown): void {
    this.#over ??= reason;
    this.#controller?.abort(reason);
  }

  /** @throws ApiError 503 `INTERNAL_ERROR` after `ms` milliseconds */
  run<T>(work: Promise<T>, ms: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        const late = errors.unavailable();
        this.end(late);
        reject(late);
      }, ms);
      work.then(
        (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    });
  }
}
