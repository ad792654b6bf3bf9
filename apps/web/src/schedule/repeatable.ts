/**
 * Keeps the idempotency key of a request until it has been answered. A second click after a network failure repeats the same
 * request, so that the message is scheduled once.
 */
export class Repeatable {
  #fingerprint = "";
  #key = "";

  /** Returns the same key for the same parameters, until {@link done}. */
  keyFor(params: unknown): string {
    const fingerprint = JSON.stringify(params);
    if (fingerprint !== this.#fingerprint || this.#key === "") {
      this.#fingerprint = fingerprint;
      this.#key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
        byte.toString(16).padStart(2, "0"),
      ).join("");
    }
    return this.#key;
  }

  /** Forgets the key: the next request with these parameters is another one. */
  done(): void {
    this.#key = "";
  }
}
