import { Semaphore, type Cancellation } from "@carillon/kit";

/** Size of a part of a multipart upload: S3's minimum for all parts but the last. */
export const partBytes = 5 * 1_024 * 1_024;

/**
 * Limits the memory of uploads to S3. Each part is collected in a buffer of this pool before it is sent, so that it can be
 * sent again. Uploads without a buffer wait, and their bodies are not read meanwhile.
 *
 * A buffer is first filled and then sent. Sending has a time limit, but a client may fill a buffer slowly. While other
 * uploads wait, the upload whose buffer has been filling for longest loses it after {@link PartBuffersOptions.fillMs}, so
 * that a few slow clients cannot stop all others.
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
   * @param evict called if filling takes too long while others wait; must lead to {@link giveBack}
   * @throws the reason of `until` if that ends first
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

  /** Marks a buffer as filled. It can no longer be evicted. */
  filled(buffer: Buffer): void {
    this.#filling.delete(buffer);
    this.#scheduleEviction();
  }

  /**
   * Gives a buffer back.
   * @param isUnused false if a failed request might still read the buffer: then it is not used again
   */
  giveBack(buffer: Buffer, isUnused: boolean): void {
    this.filled(buffer);
    if (isUnused) this.#free.push(buffer);
    this.#held--;
    this.#permits.release();
  }

  /** Keeps one free buffer: without it, successive small uploads would cause a garbage collection after every dozen. */
  #shrink(): void {
    this.#free.splice(1);
  }

  /** While others wait, sets the timer for the buffer that has been filling for longest. */
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
  /** Maximum number of buffers in use. */
  readonly limit: number;
  /** Maximum milliseconds of filling a buffer while others wait. */
  readonly fillMs: number;
}

/**
 * The buffers of this process. A body of at least 87 KB/s fills one in a minute. 40 uploads of 25 MiB at once raised the RSS of
 * a gateway by 107 to 109 MiB with 12 buffers and by 132 to 137 MiB with 16: chunks that wait for the garbage collector take
 * about 48 MiB beside the buffers.
 */
export const partBuffers = new PartBuffers({ limit: 12, fillMs: 60_000 });
