import { setMaxListeners } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { type FileStore, hasContent, retrying, type StoredFile } from "@carillon/files";
import { Semaphore } from "@carillon/kit";

import { FaultyObjects } from "./faulty-objects.ts";
import type { ObjectLine } from "./format.ts";

/** How much of a backup's files has been restored. */
export interface RestoredFiles {
  readonly objects: number;
  readonly bytes: number;
  /** Objects among them that the store already had. */
  readonly kept: number;
  /** Objects that the backup does not have, or with other bytes than their rows say. */
  readonly faulty: FaultyObjects;
}

/** An object of the backup whose bytes follow. */
interface BackedUpObject extends StoredFile {
  readonly key: string;
  readonly path: string | undefined;
}

/** Bytes up to which an object is collected in memory, so that several are stored at once. */
const smallBytes = 1024 * 1024;

/** Small objects that are stored at the same time. */
const storedAtOnce = 16;

/**
 * Stores the objects of a backup. Leaves an object alone that the store already has with the same bytes: so a repeated
 * restore is fast, and a failure never damages an object of a store that is in use.
 */
export class RestoredObjects {
  readonly #store: FileStore;
  readonly #semaphore = new Semaphore(storedAtOnce);
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  readonly #faulty = new FaultyObjects();
  #failure: unknown;
  #current: ObjectSink | undefined;
  #objects = 0;
  #bytes = 0;
  #kept = 0;

  constructor(store: FileStore) {
    this.#store = store;
    setMaxListeners(2 * storedAtOnce, this.#ending.signal);
  }

  get restored(): RestoredFiles {
    const faulty = this.#faulty;
    return { objects: this.#objects, bytes: this.#bytes, kept: this.#kept, faulty };
  }

  /** Begins an object. Calls of {@link write} with its bytes follow, then {@link end}. */
  async begin({ key, size, sha256, path }: ObjectLine): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (size === null || sha256 === null) {
      this.#faulty.add({ key, path, fault: "missing" });
      return;
    }
    const object = { key, path, size, sha256: Buffer.from(sha256, "hex") };
    this.#objects++;
    this.#bytes += size;
    this.#current = size <= smallBytes ? this.#small(object) : await this.#large(object);
  }

  async write(bytes: Buffer): Promise<void> {
    await this.#current?.write(bytes);
  }

  async end(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    await current?.end();
  }

  /** Waits until all objects are stored. */
  async finish(): Promise<RestoredFiles> {
    await Promise.all(this.#running);
    if (this.#failure !== undefined) throw this.#failure;
    return this.restored;
  }

  /** Stops storing, and waits until nothing is being stored. */
  async abandon(): Promise<void> {
    this.#ending.abort(new Error("the restore has failed"));
    this.#current?.abandon();
    await Promise.all(this.#running);
  }

  #small(object: BackedUpObject): ObjectSink {
    const chunks: Buffer[] = [];
    return {
      write: async (bytes) => void chunks.push(bytes),
      end: async () => {
        await this.#semaphore.acquire();
        this.#run(() =>
          this.#storeSmall(object, Buffer.concat(chunks)).finally(() => this.#semaphore.release()),
        );
      },
      abandon() {},
    };
  }

  async #large(object: BackedUpObject): Promise<ObjectSink> {
    if (await hasContent(this.#store, object.key, object)) {
      this.#kept++;
      return { write: async () => {}, end: async () => {}, abandon() {} };
    }
    const body = new PassThrough({ highWaterMark: smallBytes });
    const { signal } = this.#ending;
    const storing = this.#store.put(object.key, body, { signal });
    // `write` and `end` report the failure.
    const stored = storing.then(() => {});
    stored.catch(() => {});
    this.#run(() => storing.then((file) => this.#compare(object, file)));
    return {
      async write(bytes) {
        if (body.write(bytes)) return;
        await Promise.race([new Promise<void>((resolve) => body.once("drain", resolve)), stored]);
      },
      async end() {
        body.end();
        await stored;
      },
      abandon: () => void body.destroy(),
    };
  }

  async #storeSmall(object: BackedUpObject, bytes: Buffer): Promise<void> {
    const { key } = object;
    if (await hasContent(this.#store, key, object)) {
      this.#kept++;
      return;
    }
    const { signal } = this.#ending;
    const stored = await retrying(() =>
      this.#store.put(key, Readable.from(bytes.length > 0 ? [bytes] : [], { objectMode: false }), {
        signal,
      }),
    );
    this.#compare(object, stored);
  }

  #compare({ key, path, size, sha256 }: BackedUpObject, stored: StoredFile): void {
    if (stored.size !== size || !stored.sha256.equals(sha256))
      this.#faulty.add({ key, path, fault: "changed" });
  }

  #run(work: () => Promise<void>): void {
    const running: Promise<void> = work()
      .catch((error: unknown) => void (this.#failure ??= error))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}

/** Takes the bytes of one object. */
interface ObjectSink {
  write(bytes: Buffer): Promise<void>;
  end(): Promise<void>;
  abandon(): void;
}
