import { Semaphore, type Cancellation } from "@carillon/kit";

/** Size of a part of a multipart upload: the least that S3 accepts for a part that is not the last. */
export const partBytes = 5 * 1_024 * 1_024;

/**
 * Limits the memory of uploads to S3: each part is collected in a buffer of this pool before it is sent, so that it can be
 * sent again. Uploads beyond the limit wait, and their bodies are not read meanwhile.
 *
 * A buffer is being filled, then sent. Sending has a time limit, but clients may send their bodies as slowly as they like.
 * So that a few slow clients cannot stop all others, the buffer that has been filled for longest is taken away while
 * others wait, after {@link PartBuffersOptions.fillMs}.
 */
export class PartBuffers {
  readonly #fillMs: number;
  readonly #permits: Semaphore;
  readonly #free: Buffer[] = [];
  /** Buffers that are being filled, the oldest first. */
  readonly #filling = new Map<Buffer, { readonly since: number; readonly evict: () => void }>();
  #held = 0;
  #waiting = 0;
  #eviction: NodeJS.Timeout | undefined;

  constructor({ limit, fillMs }: PartBuffersOptions) {
    this.#fillMs = fillMs;
    this.#permits = new Semaphore(limit, () => this.#shrink());
  }

  /** Buffers that are being filled or sent. */
  get held(): number {
    return this.#held;
  }

  /** Parts that wait for a buffer. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Takes a buffer of {@link partBytes}, with any content; waits for one if necessary.
   * @param evict called when filling takes too long and others wait: the buffer is to be given back soon
   * @throws the reason of `until` when that ends first
   */
  async take(until: Cancellation, evict: () => void): Promise<Buffer> {
    if (until.reason) throw until.reason;
    this.#waiting++;
    this.#scheduleEviction();
    try {
      await this.#permits.acquire(until);
    } finally {
      this.#waiting--;
      this.#scheduleEviction();
    }
    this.#held++;
    const buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(partBytes);
    this.#filling.set(buffer, { since: performance.now(), evict });
    return buffer;
  }

  /** Tells that nothing more comes into a buffer, and it will be sent. */
  filled(buffer: Buffer): void {
    this.#filling.delete(buffer);
    this.#scheduleEviction();
  }

  /**
   * Gives a buffer back.
   * @param isUnused false if a failed request might still read it: then it is left to the garbage collector
   */
  giveBack(buffer: Buffer, isUnused: boolean): void {
    this.filled(buffer);
    if (isUnused) this.#free.push(buffer);
    this.#held--;
    this.#permits.release();
  }

  /** Keeps one buffer: without it, small uploads after each other would cause a garbage collection every dozen. */
  #shrink(): void {
    this.#free.splice(1);
  }

  /** Sets the timer for the buffer that has been filled for longest, while others wait. */
  #scheduleEviction(): void {
    clearTimeout(this.#eviction);
    this.#eviction = undefined;
    const [oldest] = this.#filling;
    if (this.#waiting === 0 || !oldest) return;
    const [buffer, { since, evict }] = oldest;
    this.#eviction = setTimeout(
      () => {
        this.#filling.delete(buffer);
        evict();
        this.#scheduleEviction();
      },
      since + this.#fillMs - performance.now(),
    ).unref();
  }
}

export interface PartBuffersOptions {
  /** The most buffers. */
  readonly limit: number;
  /** How long a buffer may be filled while others wait, in milliseconds. */
  readonly fillMs: number;
}

/** The buffers of this process. A body needs 87 KB/s for a part in a minute. */
export const partBuffers = new PartBuffers({ limit: 16, fillMs: 60_000 });
